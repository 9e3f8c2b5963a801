/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overlap.c: the progress of an operation while its process computes (see overlap.h).
 *
 * For a computation of c = 0, T/4 ... 2 T, where T is the time of start and wait, three times are measured by the same
 * scheme: start and wait (the repetitions of the measurement), the computation alone, and start, computation, wait. The
 * part of T that is hidden by the computation is overlap = 1 - (T_total - T_compute) / T.
 *
 * Each of these times takes at most four batches, fewer if the stop rule is satisfied; with --stop time all of them
 * together may take the budget once more.
 *
 * The computation is a chain of a known number of floating-point steps, not a wait: this shows what a library's
 * progress thread takes from the processor. In a simulator steps take no time; there it is a wait.
 */
#include "measure/overlap.h"

#include "machine/team.h"

#include <math.h>
#include <stdlib.h>

enum { OVERLAP_QUARTERS = 4, OVERLAP_BATCHES = 4, OVERLAP_STEPS = 20000, OVERLAP_ATTEMPTS = 9 };

static void overlap_steps(int64_t steps)
{
    volatile double sink = 1.0;
    double x = sink;
    for (int64_t i = 0; i < steps; i++)
        x = x * 0.999999 + 1e-6;
    sink = x;
}

static int overlap_compute(struct call *call)
{
    if (call->clock->sleeps)
        clock_wait(call->clock, clock_now(call->clock) + call->compute_ns);
    else
        overlap_steps((int64_t)((double)call->compute_ns * call->compute_per_ns));
    return MPI_SUCCESS;
}

static int overlap_start_compute_wait(struct call *call)
{
    const int result = call->operation->start(call);
    if (result != MPI_SUCCESS)
        return result;
    overlap_compute(call);
    return call_wait(call);
}

/* Return the steps per nanosecond, by the fastest of 9 attempts. */
static double overlap_calibrate(const struct clock *clock)
{
    int64_t fastest_ns = INT64_MAX;
    for (int i = 0; i < OVERLAP_ATTEMPTS; i++) {
        const int64_t begin_ns = clock_now(clock);
        overlap_steps(OVERLAP_STEPS);
        const int64_t took_ns = clock_now(clock) - begin_ns;
        fastest_ns = took_ns < fastest_ns ? took_ns : fastest_ns;
    }
    return fastest_ns > 0 ? (double)OVERLAP_STEPS / (double)fastest_ns : 1.0;
}

/* Rank 0: return the repetitions of the next batch of one computation by the stop rule; 0 if it is satisfied. */
static int64_t overlap_next_reps(const struct measure *m, size_t count, size_t valid, int64_t begin_ns)
{
    const struct options *const options = m->session->options;
    const struct stop_limits limits = {options->relative_error, options->min_valid, options->max_valid,
                                       options->max_reps, options->time_budget / (2 * MEASUREMENT_OVERLAPS)};
    const struct stop_progress progress = {
        .reps = (int64_t)count,
        .valid = (int64_t)valid,
        .elapsed_s = (double)(clock_now(&m->session->clock) - begin_ns) * 1e-9,
        .relative_error = NAN,
    };
    if (m->session->stop->enough(&limits, &progress))
        return 0;
    const int64_t remaining = m->session->stop->reps_left(&limits, progress.reps);
    return remaining < options->batch ? remaining : options->batch;
}

/* Rank 0: set *median_ns over the repetitions of a few batches without late start; over all if there are none. */
static int overlap_time(struct measure *m, const struct operation *operation, double *median_ns, struct fault *fault)
{
    const int64_t capacity = OVERLAP_BATCHES * m->session->options->batch;
    double *const times = calloc((size_t)(2 * capacity), sizeof *times);
    size_t valid = 0, in_time = 0, count = 0;
    if (times == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %lld repetitions", (long long)capacity);
    double *const all = times + capacity;
    const int64_t slot_ns = m->slot_ns + 2 * m->call.compute_ns;
    const int64_t begin_ns = clock_now(&m->session->clock);
    m->plan.reps = capacity;
    for (int b = 0; b < OVERLAP_BATCHES && m->plan.reps > 0; b++) {
        const int64_t reps = m->session->team.rank == 0 ? overlap_next_reps(m, count, valid, begin_ns) : 0;
        if (measure_batch(m, operation, reps, slot_ns, fault))
            break;
        for (int64_t l = 0; l < m->plan.reps; l++) {
            const struct rep_summary *const summary = &m->batch.summaries[l];
            all[count++] = (double)summary->time_ns;
            valid += batch_is_valid(summary);
            if (!summary->late)
                times[in_time++] = (double)summary->time_ns;
        }
    }
    *median_ns = in_time > 0 ? statistics_median(times, in_time) : statistics_median(all, count);
    free(times);
    return (int)fault->code;
}

int overlap_measure(struct measure *m, const struct operation *operation, struct measurement *result,
                    struct fault *fault)
{
    if (!m->session->options->overlap || operation->start == NULL)
        return 0;
    struct operation compute = *operation, combined = *operation;
    compute.execute = overlap_compute;
    combined.execute = overlap_start_compute_wait;
    const double median_ns = m->session->team.rank == 0 ? measurement_median(result) : 0.0;
    int64_t blocking_ns = median_ns > 0.0 ? (int64_t)median_ns : 0;
    if (team_broadcast(&m->session->team, &blocking_ns, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    m->call.compute_per_ns = overlap_calibrate(m->call.clock);
    for (int i = 0; blocking_ns > 0 && i < MEASUREMENT_OVERLAPS; i++) {
        struct measurement_overlap *const point = &result->overlap[i];
        m->call.compute_ns = blocking_ns * i / OVERLAP_QUARTERS;
        if (overlap_time(m, &compute, &point->compute_ns, fault) || overlap_time(m, &combined, &point->total_ns, fault))
            return (int)fault->code;
        point->overlap = 1.0 - (point->total_ns - point->compute_ns) / (double)blocking_ns;
        result->overlaps++;
    }
    return 0;
}
