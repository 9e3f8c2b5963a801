/* SPDX-License-Identifier: BSD-3-Clause */
/* first_call.c: times the first call of a launch, and combines the times of all processes (see first_call.h). */
#include "measure/first_call.h"

#include "call/buffers.h"
#include "machine/team.h"
#include "session/session.h"
#include "statistics/statistics.h"
#include "timer/timer.h"

/* Time one call on the local clock. */
static int first_call_time_one(struct call *call, const struct timer *timer, int64_t *start_ns, int64_t *end_ns,
                               struct fault *fault)
{
    *start_ns = timer_now(timer);
    const int result = call->operation->execute(call);
    *end_ns = timer_now(timer);
    return team_mpi(fault, result, call->operation->name);
}

static int first_call_time_all(const struct session *session, struct call *call, struct buffers *buffers,
                               struct fault *fault)
{
    struct first_call *const first = session->first;
    int64_t start_ns = 0, end_ns = 0;
    buffers_use(buffers, 0, call);
    if (first_call_time_one(call, &first->timer, &first->start_ns, &first->end_ns, fault))
        return (int)fault->code;
    first->first_ns = first->end_ns - first->start_ns;
    buffers_use(buffers, 1, call);
    if (first_call_time_one(call, &first->timer, &start_ns, &end_ns, fault))
        return (int)fault->code;
    first->second_ns = end_ns - start_ns;
    buffers_use(buffers, 0, call);
    for (int i = 0; i < FIRST_CALL_LATER; i++) {
        if (team_barrier(&session->team, fault) || first_call_time_one(call, &first->timer, &start_ns, &end_ns, fault))
            return (int)fault->code;
        first->later_ns[i] = end_ns - start_ns;
    }
    return 0;
}

/* On MPI_COMM_WORLD, with a timer that each process opens without communication. */
int first_call_time(struct session *session, const struct options *options, struct fault *fault)
{
    const struct buffers_policy policy = {
        .alignment = (size_t)options->alignment,
        .shared = environment_is_simulated() && !options->check,
    };
    struct buffers buffers = {0};
    struct call call;
    session->first->timer = session->clock.timer = (struct timer){.kind = timer_of(TIMER_CLOCK_GETTIME)};
    if (session_resolve(session, options, fault))
        return (int)fault->code;
    const struct operation *const operation = &session->operations.items[0];
    if (session_why_not_supported(session, operation) != NULL)
        return 0;
    session->team.measured = session->team.comm;
    session_call(session, operation, operation->shape == OPERATION_NO_DATA ? 0 : options->sizes.bytes[0], &call);
    if (call_open(&call, fault) == 0 && buffers_open(&buffers, &call, &policy, fault) == 0)
        first_call_time_all(session, &call, &buffers, fault);
    session->traffic.mapped_bytes += buffers.mapped_bytes;
    session->team.measured = MPI_COMM_NULL;
    buffers_close(&buffers);
    call_release(&call);
    session->first->complete = fault->code == FAULT_NONE;
    return (int)fault->code;
}

/* The combined values: the durations on this process, then the first call in global time. */
enum {
    FIRST_CALL_FIRST,
    FIRST_CALL_SECOND,
    FIRST_CALL_LATERS,
    FIRST_CALL_FIRST_START = FIRST_CALL_LATERS + FIRST_CALL_LATER,
    FIRST_CALL_LAST_START,
    FIRST_CALL_LAST_END,
    FIRST_CALL_VALUES
};

static struct first_call_times first_call_times(const int64_t *values)
{
    double later[FIRST_CALL_LATER];
    for (int i = 0; i < FIRST_CALL_LATER; i++)
        later[i] = (double)values[FIRST_CALL_LATERS + i];
    return (struct first_call_times){values[FIRST_CALL_FIRST], values[FIRST_CALL_SECOND],
                                     (int64_t)statistics_median(later, FIRST_CALL_LATER)};
}

/* The two clocks are read in sequence, so the result includes the time in between, less than a microsecond. */
static void first_call_values(const struct session *session, int64_t *values)
{
    const struct first_call *const first = session->first;
    const int64_t ago_ns = clock_now(&session->clock) - timer_now(&first->timer);
    values[FIRST_CALL_FIRST] = first->first_ns;
    values[FIRST_CALL_SECOND] = first->second_ns;
    for (int i = 0; i < FIRST_CALL_LATER; i++)
        values[FIRST_CALL_LATERS + i] = first->later_ns[i];
    values[FIRST_CALL_LAST_START] = first->start_ns + ago_ns;
    values[FIRST_CALL_FIRST_START] = -values[FIRST_CALL_LAST_START];
    values[FIRST_CALL_LAST_END] = first->end_ns + ago_ns;
}

int first_call_gather(const struct session *session, struct fault *fault)
{
    struct first_call *const first = session->first;
    const struct team *const team = &session->team;
    int64_t values[FIRST_CALL_VALUES];
    if (!first->complete)
        return 0;
    first_call_values(session, values);
    first->rank0 = first_call_times(values);
    if (team_maximum(team, values, FIRST_CALL_VALUES, MPI_INT64_T, fault))
        return (int)fault->code;
    first->slowest = first_call_times(values);
    first->span_ns = values[FIRST_CALL_LAST_END] + values[FIRST_CALL_FIRST_START];
    first->skew_ns = values[FIRST_CALL_LAST_START] + values[FIRST_CALL_FIRST_START];
    int64_t lower = first->first_ns == first->slowest.first ? team->size - team->rank : 0;
    if (team_maximum(team, &lower, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    first->slowest_rank = team->size - lower;
    return 0;
}
