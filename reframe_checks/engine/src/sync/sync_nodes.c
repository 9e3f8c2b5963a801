/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_nodes.c: synchronises all processes or one per node (see sync_nodes.h). */
#include "sync/sync_nodes.h"

#include "clock/comparison.h"
#include "machine/environment.h"
#include "machine/errors.h"
#include "machine/team.h"

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
    errors_return_comm(part->comm);
    MPI_Comm_rank(part->comm, &part->rank);
    MPI_Comm_size(part->comm, &part->size);
    return 0;
}

/* Check by messages that this process and its leader read one clock; lead_ns is the leader's origin. */
static int sync_nodes_compare(const struct team *node, const struct clock *clock, const struct sync_plan *plan,
                              int64_t lead_ns, bool *same, struct fault *fault)
{
    for (int client = 1; client < node->size && node->rank == 0; client++)
        if (comparison_as_reference(node, clock, client, fault))
            return (int)fault->code;
    if (node->rank == 0)
        return 0;
    struct clock assumed = *clock;
    struct estimate estimate;
    assumed.model.offset_ns = clock->timer.origin_ns - lead_ns;
    if (comparison_as_client(node, &assumed, plan->estimator, comparison_brief(), 0, &estimate, fault))
        return (int)fault->code;
    *same = *same && llabs(estimate.offset_ns) <= estimate.bound_ns;
    return 0;
}

/* Set *all if every process reads the clock of its node's leader. */
static int sync_nodes_check(const struct team *team, const struct team *node, const struct clock *clock,
                            const struct sync_plan *plan, int64_t *lead_ns, bool *all, struct fault *fault)
{
    char source[SYNC_NODES_SOURCE] = "", leader[SYNC_NODES_SOURCE];
    clock_source_read(source, sizeof source);
    memcpy(leader, source, sizeof leader);
    *lead_ns = clock->timer.origin_ns;
    if (team_broadcast(node, leader, SYNC_NODES_SOURCE, MPI_CHAR, fault) ||
        team_broadcast(node, lead_ns, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    bool same = strcmp(source, leader) == 0;
    if (sync_nodes_compare(node, clock, plan, *lead_ns, &same, fault))
        return (int)fault->code;
    int another = !same;
    if (team_maximum(team, &another, 1, MPI_INT, fault))
        return (int)fault->code;
    *all = another == 0;
    return 0;
}

/* Synchronise the leaders; then each passes its model on, for the same clock with another origin. */
static int sync_nodes_lead(const struct team *team, const struct team *node, const struct clock *clock,
                           const struct synchroniser *synchroniser, const struct sync_plan *plan, int64_t lead_ns,
                           struct synchronisation *sync, struct fault *fault)
{
    struct team leaders;
    if (sync_nodes_split(team, node->rank == 0 ? 0 : MPI_UNDEFINED, false, &leaders, fault))
        return (int)fault->code;
    if (leaders.comm != MPI_COMM_NULL) {
        synchroniser->synchronise(&leaders, clock, plan, sync, fault);
        MPI_Comm_free(&leaders.comm);
    }
    if (fault->code != FAULT_NONE || team_broadcast(node, sync, (int)sizeof *sync, MPI_BYTE, fault) || node->rank == 0)
        return (int)fault->code;
    const int64_t later_ns = clock->timer.origin_ns - lead_ns;
    sync->model.x0_ns -= later_ns;
    sync->model.offset_ns += later_ns;
    sync->bound_ns += clock->resolution_ns;
    sync->exchanges = 0;
    return 0;
}

static int sync_nodes_try(const struct team *team, const struct team *node, const struct clock *clock,
                          const struct synchroniser *synchroniser, const struct sync_plan *plan,
                          enum sync_nodes_choice nodes, struct synchronisation *sync, bool *shared, struct fault *fault)
{
    int64_t lead_ns = 0;
    if (sync_nodes_check(team, node, clock, plan, &lead_ns, shared, fault))
        return (int)fault->code;
    if (*shared)
        return sync_nodes_lead(team, node, clock, synchroniser, plan, lead_ns, sync, fault);
    if (nodes == SYNC_NODES_SHARED)
        return fault_set(fault, FAULT_ENVIRONMENT,
                         "--sync-nodes shared: the processes of a node do not read one clock; take flat");
    return synchroniser->synchronise(team, clock, plan, sync, fault);
}

int sync_nodes_synchronise(const struct team *team, const struct clock *clock, const struct synchroniser *synchroniser,
                           const struct sync_plan *plan, enum sync_nodes_choice nodes, struct synchronisation *sync,
                           bool *shared, struct fault *fault)
{
    struct team node;
    *shared = false;
    if (nodes == SYNC_NODES_FLAT || synchroniser->synchronise == sync_none)
        return synchroniser->synchronise(team, clock, plan, sync, fault);
    if (sync_nodes_split(team, 0, true, &node, fault))
        return (int)fault->code;
    sync_nodes_try(team, &node, clock, synchroniser, plan, nodes, sync, shared, fault);
    MPI_Comm_free(&node.comm);
    return (int)fault->code;
}
