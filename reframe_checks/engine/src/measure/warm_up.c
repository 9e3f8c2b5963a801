/* SPDX-License-Identifier: BSD-3-Clause */
/* warm_up.c: first calls, first uses of cold buffers, and warm-up batches (see warm_up.h). */
#include "measure/warm_up.h"

#include "machine/team.h"
#include "rules/slot.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdlib.h>

/* Set *sets to the sets of cold buffers that the repetitions can use, the same on all processes. */
static int warm_up_cold_sets(struct measure *m, struct measurement *result, int64_t *sets, struct fault *fault)
{
    const struct buffers *const buffers = &m->buffers;
    const size_t stride = buffers->send.stride + buffers->recv.stride;
    const struct stop_limits limits = {.max_reps = m->session->options->max_reps};
    int64_t max[3] = {(int64_t)buffers->sets, (int64_t)(buffers->sets * stride), buffers->first_touch_ns};
    if (team_maximum(&m->session->team, max, 3, MPI_INT64_T, fault))
        return (int)fault->code;
    result->cold = (struct measurement_cold){max[0], max[1], max[2], NAN};
    const int64_t reps = m->session->stop->reps_left(&limits, 0) + m->session->options->warmup_reps;
    const int64_t uses = reps * m->session->options->operations_per_rep;
    *sets = uses < max[0] ? uses : max[0];
    return 0;
}

/* Cold buffers: one repetition on each set, which registers it, then displace all of them from the cache. */
static int warm_up_first_uses(struct measure *m, const struct operation *operation, struct measurement *result,
                              struct fault *fault)
{
    int64_t sets = 0;
    if (!m->buffers.cold)
        return 0;
    if (warm_up_cold_sets(m, result, &sets, fault))
        return (int)fault->code;
    double *const times = calloc((size_t)sets, sizeof *times);
    if (times == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %lld repetitions", (long long)sets);
    for (int64_t count = 0; count < sets && fault->code == FAULT_NONE;) {
        const int64_t remaining = sets - count;
        if (measure_batch(m, operation, remaining < m->batch.capacity ? remaining : m->batch.capacity, 0, fault))
            break;
        for (int64_t l = 0; l < m->plan.reps; l++)
            times[count++] = (double)m->batch.summaries[l].time_ns;
    }
    result->cold.first_use_ns = statistics_median(times, (size_t)sets);
    free(times);
    buffers_chill(&m->buffers, (size_t)sets);
    buffers_use(&m->buffers, 0, &m->call);
    return (int)fault->code;
}

static int warm_up_first_calls(struct measure *m, const struct operation *operation, struct measurement *result,
                               struct fault *fault)
{
    if (measure_use_buffers(m, 0, fault) || measure_checked_batch(m, operation, 1, 0, fault))
        return (int)fault->code;
    result->first_call_ns = m->batch.summaries[0].time_ns;

    if (measure_use_buffers(m, 1, fault) || measure_checked_batch(m, operation, 1, 0, fault))
        return (int)fault->code;
    result->second_call_ns = m->batch.summaries[0].time_ns;
    return 0;
}

/* The share by which times fall at most from one period to the next, twice as long, when a case is warm. */
static const double WARM_UP_FALL = 0.01;
enum {
    WARM_UP_LIMIT = 8,    /* warm-up lasts at most so many times as long as it must */
    WARM_UP_MEDIANS = 256 /* of batches, from which the level of a period is known; further ones do not count */
};

/* Rank 0: a period of the warm-up: the medians of its batches. */
struct warm_up_period {
    double medians[WARM_UP_MEDIANS];
    size_t count;
    double previous; /* level of the period before; HUGE_VAL if there is none */
    double end_ns;   /* since the warm-up began */
};

/* Rank 0: return the median repetition of the last batch. */
static double warm_up_median(const struct measure *m)
{
    double *const times = calloc((size_t)m->plan.reps + 1, sizeof *times);
    for (int64_t l = 0; times != NULL && l < m->plan.reps; l++)
        times[l] = (double)m->batch.summaries[l].time_ns;
    const double median = times == NULL ? NAN : statistics_median(times, (size_t)m->plan.reps);
    free(times);
    return median;
}

/* Rank 0: note the last batch; return true if the case is not warm yet. */
static bool warm_up_continues(const struct measure *m, struct warm_up_period *period, int64_t begin_ns)
{
    const double least_ns = 1e9 * m->session->options->warmup_time;
    const double elapsed_ns = (double)(clock_now(&m->session->clock) - begin_ns);
    if (period->count < WARM_UP_MEDIANS)
        period->medians[period->count++] = warm_up_median(m);
    if (elapsed_ns < period->end_ns)
        return true;
    const double level = statistics_median(period->medians, period->count);
    const bool falls = level < (1.0 - WARM_UP_FALL) * period->previous;
    if ((!falls && elapsed_ns >= least_ns) || elapsed_ns >= WARM_UP_LIMIT * least_ns || measure_is_long(m, begin_ns))
        return false;
    *period = (struct warm_up_period){.previous = level, .end_ns = fmax(least_ns, 2.0 * elapsed_ns)};
    return true;
}

/*
 * What ran before has left caches and connections in another state: repeat the warm-up batch for --warmup-time, and
 * twice as long as before while that makes it faster, at most 8 times as long in all. Rank 0 decides. The repetitions
 * of the first batch count, too, without what a process waited for before them: long ones need no second batch.
 */
static int warm_up_again(struct measure *m, const struct operation *operation, struct measurement *result,
                         struct fault *fault)
{
    const struct session *const session = m->session;
    const double first_ns = session->team.rank == 0 ? (double)m->plan.reps * warm_up_median(m) : 0.0;
    const int64_t reps = session->options->warmup_reps;
    const int64_t begin_ns = clock_now(&session->clock) - (first_ns > 0.0 ? (int64_t)first_ns : 0);
    struct warm_up_period period = {.previous = HUGE_VAL, .end_ns = 0.5e9 * session->options->warmup_time};
    while (m->plan.reps > 0) {
        result->warmup_reps += m->plan.reps;
        const bool again = session->team.rank == 0 && warm_up_continues(m, &period, begin_ns);
        if (measure_checked_batch(m, operation, again ? reps : 0, 0, fault))
            return (int)fault->code;
    }
    return 0;
}

int warm_up(struct measure *m, const struct operation *operation, struct measurement *result, struct fault *fault)
{
    const struct session *const session = m->session;
    m->operations = 1;
    if ((m->pass.number == 0 && warm_up_first_calls(m, operation, result, fault)) || measure_use_buffers(m, 0, fault) ||
        warm_up_first_uses(m, operation, result, fault))
        return (int)fault->code;
    m->operations = session->options->operations_per_rep;
    if (measure_checked_batch(m, operation, session->options->warmup_reps, 0, fault))
        return (int)fault->code;
    struct slot_outcome outcome = measure_outcome(m);
    outcome.longest_ns = result->second_call_ns * m->operations;
    if (m->pass.number == 0)
        m->slot_ns = slot_first_width(&m->slot_rule, &outcome);
    const bool once = session->options->warmup_time <= 0.0 || session->simulated || m->buffers.cold;
    return once ? 0 : warm_up_again(m, operation, result, fault);
}
