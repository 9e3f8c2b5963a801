/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_nodes.c: synchronises all processes or one a node (see sync_nodes.h). */
#include "sync/sync_nodes.h"

#include "clock/pair.h"
#include "machine/clock_source.h"
#include "machine/team_agree.h"
#include "machine/team_talk.h"

#include <stdlib.h>
#include <string.h>

enum { SYNC_NODES_SOURCE = 64 };

static int sync_nodes_split(const struct team *team, int colour, bool by_node, struct team *part, struct fault *fault)
{
    *part = (struct team){.comm = MPI_COMM_NULL, .measured = MPI_COMM_NULL, .traffic = team->traffic};
    const int result =
        by_node ? MPI_Comm_split_type(team->comm, MPI_COMM_TYPE_SHARED, team->rank, MPI_INFO_NULL, &part->comm)
                : MPI_Comm_split(team->comm, colour, team->rank, &part->comm);
    if (team_mpi(fault, result, "MPI_Comm_split") || part->comm == MPI_COMM_NULL)
        return (int)fault->code;
    MPI_Comm_set_errhandler(part->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(part->comm, &part->rank);
    MPI_Comm_size(part->comm, &part->size);
    return 0;
}

/* Whether this process and its leader seem to read one clock; lead_ns is the leader's origin. */
static int sync_nodes_compare(const struct team *node, const struct clock *clock, const struct sync_plan *plan,
                              int64_t lead_ns, bool *same, struct fault *fault)
{
    for (int client = 1; client < node->size && node->rank == 0; client++)
        if (pair_answer(node, clock, client, fault))
            return (int)fault->code;
    if (node->rank == 0)
        return 0;
    struct clock trusted = *clock;
    struct estimate estimate;
    trusted.model.offset_ns = clock->timer.origin_ns - lead_ns;
    if (pair_ask(node, &trusted, plan->estimator, pair_brief(), 0, &estimate, fault))
        return (int)fault->code;
    *same = *same && llabs(estimate.offset_ns) <= estimate.bound_ns;
    return 0;
}

/* Whether every process reads the clock of its node's leader. */
static int sync_nodes_check(const struct team *team, const struct team *node, const struct clock *clock,
                            const struct sync_plan *plan, int64_t *lead_ns, bool *all, struct fault *fault)
{
    char own[SYNC_NODES_SOURCE] = "", leader[SYNC_NODES_SOURCE];
    clock_source_read(own, sizeof own);
    memcpy(leader, own, sizeof leader);
    *lead_ns = clock->timer.origin_ns;
    if (team_broadcast(node, leader, SYNC_NODES_SOURCE, MPI_CHAR, fault) ||
        team_broadcast(node, lead_ns, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    bool same = strcmp(own, leader) == 0;
    if (sync_nodes_compare(node, clock, plan, *lead_ns, &same, fault))
        return (int)fault->code;
    int another = !same;
    if (team_maximum(team, &another, 1, MPI_INT, fault))
        return (int)fault->code;
    *all = another == 0;
    return 0;
}

/* The leaders synchronise, then each hands its model on: the same clock from another origin. */
static int sync_nodes_lead(const struct team *team, const struct team *node, const struct clock *clock,
                           const struct synchroniser *synchroniser, const struct sync_plan *plan, int64_t lead_ns,
                           struct synchronisation *own, struct fault *fault)
{
    struct team leaders;
    if (sync_nodes_split(team, node->rank == 0 ? 0 : MPI_UNDEFINED, false, &leaders, fault))
        return (int)fault->code;
    if (leaders.comm != MPI_COMM_NULL) {
        synchroniser->run(&leaders, clock, plan, own, fault);
        MPI_Comm_free(&leaders.comm);
    }
    if (fault->code != FAULT_NONE || team_broadcast(node, own, (int)sizeof *own, MPI_BYTE, fault) || node->rank == 0)
        return (int)fault->code;
    const int64_t later_ns = clock->timer.origin_ns - lead_ns;
    own->model.x0_ns -= later_ns;
    own->model.offset_ns += later_ns;
    own->bound_ns += clock->resolution_ns;
    own->exchanges = 0;
    return 0;
}

static int sync_nodes_try(const struct team *team, const struct team *node, const struct clock *clock,
                          const struct synchroniser *synchroniser, const struct sync_plan *plan,
                          enum sync_nodes_choice nodes, struct synchronisation *own, bool *shared, struct fault *fault)
{
    int64_t lead_ns = 0;
    if (sync_nodes_check(team, node, clock, plan, &lead_ns, shared, fault))
        return (int)fault->code;
    if (*shared)
        return sync_nodes_lead(team, node, clock, synchroniser, plan, lead_ns, own, fault);
    if (nodes == SYNC_NODES_SHARED)
        return fault_set(fault, FAULT_ENVIRONMENT,
                         "--sync-nodes shared: the processes of a node do not read one clock; take flat");
    return synchroniser->run(team, clock, plan, own, fault);
}

int sync_nodes_run(const struct team *team, const struct clock *clock, const struct synchroniser *synchroniser,
                   const struct sync_plan *plan, enum sync_nodes_choice nodes, struct synchronisation *own,
                   bool *shared, struct fault *fault)
{
    struct team node;
    *shared = false;
    if (nodes == SYNC_NODES_FLAT || synchroniser->run == sync_none)
        return synchroniser->run(team, clock, plan, own, fault);
    if (sync_nodes_split(team, 0, true, &node, fault))
        return (int)fault->code;
    sync_nodes_try(team, &node, clock, synchroniser, plan, nodes, own, shared, fault);
    MPI_Comm_free(&node.comm);
    return (int)fault->code;
}
