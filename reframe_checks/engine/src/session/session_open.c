/* SPDX-License-Identifier: BSD-3-Clause */
/* session_open.c: locates the processes, and prepares clocks and probes (see session_open.h). */
#include "session/session_open.h"

#include "call/buffers.h"
#include "machine/errors.h"
#include "machine/team.h"
#include "session/session_clock.h"
#include "session/session_threads.h"

#include <stdlib.h>

/* A misconfigured launcher starts singletons, or all processes on one host: that must not be measured. */
static int session_expect(const struct session *session, struct fault *fault)
{
    const struct options *const options = session->options;
    if (options->expect_ranks > 0 && options->expect_ranks != session->team.size)
        return fault_set(fault, FAULT_ENVIRONMENT, "%d processes, but --expect-ranks %lld; check the launcher",
                         session->team.size, (long long)options->expect_ranks);
    if (options->expect_hosts > 0 && options->expect_hosts != session->environment.hosts)
        return fault_set(fault, FAULT_ENVIRONMENT, "processes on %d hosts, but --expect-hosts %lld; check the launcher",
                         session->environment.hosts, (long long)options->expect_hosts);
    return 0;
}

int session_locate(struct session *session, struct fault *fault)
{
    session->simulated = environment_is_simulated();
    if (environment_gather(&session->team, &session->environment, fault))
        return (int)fault->code;
    return session_expect(session, fault);
}

/* Rank 0 alone generates or reads the list: no other process needs memory that grows with their number. */
static int session_order_ranks(struct session *session, struct fault *fault)
{
    struct team *const team = &session->team;
    const struct rank_order *const order = &session->options->rank_order;
    session->process = team->rank == 0 ? calloc((size_t)team->size, sizeof *session->process) : NULL;
    if (team->rank == 0 && session->process == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for the order of %d ranks", team->size);
    else if (team->rank == 0)
        rank_order_fill(order, session->process, team->size, fault);
    if (team_agree(team, fault))
        return (int)fault->code;
    return order->kind == RANK_ORDER_IDENTITY ? 0 : team_reorder(team, session->process, fault);
}

/* Join the processes of this process's group, or all that are in none. */
static int session_join_group(struct session *session, int rank, struct fault *fault)
{
    const struct team *const team = &session->team;
    const struct groups *const groups = &session->options->groups;
    const int group = groups_of(groups, rank, team->size);
    int *const members = calloc((size_t)team->size, sizeof *members);
    int count = 0;
    if (members == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for a group of %d ranks", team->size);
    for (int other = 0; other < team->size; other++)
        if (groups_of(groups, other, team->size) == group)
            members[count++] = other;
    session->idle = group == GROUPS_IDLE;
    team_join(team->measured, members, count, &session->group, fault);
    free(members);
    return (int)fault->code;
}

/* Join the processes of this host, in the order of the measured ranks. */
static int session_join_host(struct session *session, int rank, struct fault *fault)
{
    const int64_t root = session->options->root, group_size = session->options->group_size;
    int size = 0;
    const int result = MPI_Comm_split(session->environment.host, 0, rank, &session->group);
    if (team_mpi(fault, result, "MPI_Comm_split"))
        return (int)fault->code;
    errors_return_comm(session->group);
    MPI_Comm_size(session->group, &size);
    if (root < size && group_size <= size)
        return 0;
    return fault_set(fault, FAULT_USAGE,
                     "--groups node: a host with %d processes is too small for --root %lld and --group-size %lld; "
                     "lower these",
                     size, (long long)root, (long long)group_size);
}

static int session_form_groups(struct session *session, int rank, struct fault *fault)
{
    const enum groups_kind kind = session->options->groups.kind;
    if (kind == GROUPS_ALL)
        return 0;
    (kind == GROUPS_NODE ? session_join_host : session_join_group)(session, rank, fault);
    return team_agree(&session->team, fault);
}

int session_arrange(struct session *session, struct fault *fault)
{
    const struct team *const team = &session->team;
    int rank = 0;
    if (session_order_ranks(session, fault))
        return (int)fault->code;
    MPI_Comm_rank(team->measured, &rank);
    if (session_form_groups(session, rank, fault) || session_place_threads(session, fault))
        return (int)fault->code;
    session->arrival_ns = arrival_offset(&session->options->arrival, rank, team->size);
    uint64_t bytes = buffers_cache_bytes();
    const int code = team_maximum(team, &bytes, 1, MPI_UINT64_T, fault);
    session->cache_bytes = (size_t)bytes;
    return code;
}

/* Identify the MPI library in the history. */
static uint32_t session_library(void)
{
    char name[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(name, &length);
    return probe_history_library(name);
}

/* Without a shared cache line there is nothing to monitor. Rank 0 alone reads the history. */
static int session_open_monitor(struct session *session, struct fault *fault)
{
    if (session->options->probes != PROBES_GATE || session->probes->pairs == 0)
        return 0;
    session->monitor = calloc(1, sizeof *session->monitor);
    if (session->monitor == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the probes");
    const char *const path = session->options->probe_history;
    regime_monitor_open(session->monitor, session->probes, session->team.rank == 0 ? path : NULL, session_library());
    return 0;
}

/* A simulated machine has no interference. */
static int session_open_probes(struct session *session, struct fault *fault)
{
    if (session->simulated || session->options->probes == PROBES_OFF)
        return 0;
    session->probes = calloc(1, sizeof *session->probes);
    if (session->probes == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the probes");
    if (probes_open(session->probes, session->options->test_probes_text, &session->team, &session->environment, fault))
        return (int)fault->code;
    return session_open_monitor(session, fault);
}

/* A simulated machine has no interference to average over; cold buffers would all have to be used first in each pass.
 */
static struct stop_plan session_plan_passes(const struct session *session)
{
    const struct options *const options = session->options;
    const struct stop_limits limits = session_limits(session);
    const bool once = session->simulated || options->buffers == BUFFERS_COLD;
    if (session->resident != NULL)
        return (struct stop_plan){.passes = options->passes, .spread = options->passes};
    return stop_plan(session->stop, &limits, session->scheme->loops ? 1 : options->batch, once ? 1 : options->passes);
}

int session_prepare(struct session *session, struct fault *fault)
{
    session->plan = session_plan_passes(session);
    if (session_open_clock(session, fault) || session_synchronise(session, fault) || session_calibrate(session, fault))
        return (int)fault->code;
    return session_open_probes(session, fault) || session_falsify_clock(session, fault);
}
