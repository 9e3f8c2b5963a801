/* SPDX-License-Identifier: BSD-3-Clause */
/* measurement.c: stores repetitions, and computes statistics, verdict and costs (see measurement.h). */
#include "measure/measurement.h"

#include "rules/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reallocate memory for capacity entries; if that fails it is unchanged, and *failed is set. */
static void *measurement_grow_array(void *memory, size_t capacity, size_t entry, bool *failed)
{
    void *const room = realloc(memory, capacity * entry);
    if (room != NULL)
        return room;
    *failed = true;
    return memory;
}

static int measurement_grow(struct measurement *m, size_t reps, struct fault *fault)
{
    const size_t capacity = 2 * reps;
    bool failed = false;
    if (reps <= m->capacity)
        return 0;
    m->time_ns = measurement_grow_array(m->time_ns, capacity, sizeof *m->time_ns, &failed);
    m->local_ns = measurement_grow_array(m->local_ns, capacity, sizeof *m->local_ns, &failed);
    m->skew_ns = measurement_grow_array(m->skew_ns, capacity, sizeof *m->skew_ns, &failed);
    m->valid = measurement_grow_array(m->valid, capacity, sizeof *m->valid, &failed);
    m->overran = measurement_grow_array(m->overran, capacity, sizeof *m->overran, &failed);
    m->regimes.level_ns = measurement_grow_array(m->regimes.level_ns, capacity, sizeof *m->regimes.level_ns, &failed);
    m->regimes.disturbed =
        measurement_grow_array(m->regimes.disturbed, capacity, sizeof *m->regimes.disturbed, &failed);
    if (failed)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %zu repetitions", reps);
    m->capacity = capacity;
    return 0;
}

struct stop_limits measurement_limits(const struct session *session, const struct measurement *m)
{
    const struct stop_limits limits = session_limits(session);
    const bool scatters = m->operation->reduces != REDUCES_NOTHING && m->operation->sends == SHARE_EACH;
    const int64_t messages = scatters ? session->team.size : m->operation->bursts ? session->options->burst : 1;
    const int64_t threads = operation_has_threads(m->operation) ? session->options->threads : 1;
    const int64_t message = m->bytes * messages * threads;
    const int64_t volume = session->options->max_volume;
    if (volume == 0 || message == 0)
        return limits;
    const int64_t reps = volume / message / m->operations_per_rep;
    return stop_limits_capped(&limits, reps > 0 ? reps : 1);
}

int measurement_begin_pass(struct measurement *m, struct fault *fault)
{
    int64_t *const pass_reps = realloc(m->pass_reps, (m->passes + 1) * sizeof *pass_reps);
    if (pass_reps == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %zu passes", m->passes + 1);
    m->pass_reps = pass_reps;
    m->pass_reps[m->passes++] = 0;
    return 0;
}

int measurement_add(struct measurement *m, const struct rep_summary *summaries, int64_t reps, struct fault *fault)
{
    if (measurement_grow(m, m->reps + (size_t)reps, fault))
        return (int)fault->code;
    for (int64_t l = 0; l < reps; l++) {
        const struct rep_summary *const summary = &summaries[l];
        m->time_ns[m->reps] = summary->time_ns;
        m->local_ns[m->reps] = summary->local_ns;
        m->skew_ns[m->reps] = summary->skew_ns;
        m->valid[m->reps] = batch_is_valid(summary);
        m->overran[m->reps] = batch_is_long(summary);
        m->regimes.level_ns[m->reps] = NAN;
        m->regimes.disturbed[m->reps] = false;
        m->reps_valid += m->valid[m->reps];
        m->late_start += summary->late;
        m->overrun += m->overran[m->reps];
        m->reps++;
    }
    m->pass_reps[m->passes - 1] += reps;
    return 0;
}

/* Classify the repetition as disturbed or not. */
static void measurement_mark(struct measurement *m, size_t rep, double limit_ns)
{
    m->regimes.disturbed_valid -= m->regimes.disturbed[rep] && m->valid[rep];
    m->regimes.disturbed[rep] = m->regimes.level_ns[rep] > limit_ns;
    m->regimes.disturbed_valid += m->regimes.disturbed[rep] && m->valid[rep];
}

void measurement_set_level(struct measurement *m, double level_ns, double limit_ns)
{
    for (; m->regimes.classified < m->reps; m->regimes.classified++) {
        m->regimes.level_ns[m->regimes.classified] = level_ns;
        measurement_mark(m, m->regimes.classified, limit_ns);
    }
}

/* Return the median level of the disturbed repetitions; NaN without any. */
static double measurement_disturbed_line(const struct measurement *m)
{
    double *const levels = calloc(m->reps + 1, sizeof *levels);
    size_t count = 0;
    for (size_t i = 0; levels != NULL && i < m->reps; i++)
        if (m->regimes.disturbed[i])
            levels[count++] = m->regimes.level_ns[i];
    const double line_ns = statistics_median(levels, count);
    free(levels);
    return line_ns;
}

/*
 * Classify all repetitions again, by the final limit of the launch, and remove disturbed ones from the sample; all are
 * included if fewer than min_valid would remain valid.
 */
static void measurement_settle_regimes(struct measurement *m, double quiet_ns, double limit_ns, int64_t min_valid)
{
    struct measurement_regimes *const regimes = &m->regimes;
    regimes->quiet_ns = quiet_ns;
    regimes->limit_ns = limit_ns;
    for (size_t i = 0; i < m->reps; i++)
        measurement_mark(m, i, limit_ns);
    regimes->include_disturbed = false;
    regimes->include_disturbed = (int64_t)measurement_valid(m) < min_valid;
    regimes->line_ns = measurement_disturbed_line(m);
    for (size_t i = 0; i < m->reps && !regimes->include_disturbed; i++)
        if (regimes->disturbed[i]) {
            regimes->excluded += m->valid[i] || m->overran[i];
            m->reps_valid -= m->valid[i];
            m->overrun -= m->overran[i];
            m->valid[i] = m->overran[i] = false;
        }
    regimes->disturbed_valid = regimes->include_disturbed ? regimes->disturbed_valid : 0;
}

size_t measurement_valid(const struct measurement *m)
{
    return m->regimes.include_disturbed ? m->reps_valid : m->reps_valid - m->regimes.disturbed_valid;
}

/* Return true if the repetition is in the sample. */
static bool measurement_counts(const struct measurement *m, size_t rep)
{
    return (m->valid[rep] || m->overran[rep]) && (m->regimes.include_disturbed || !m->regimes.disturbed[rep]);
}

/*
 * Collect values of the sample pass by pass, less other values divided by the operations of a repetition, if any; to be
 * freed. Empty if there are none or memory is short.
 */
static struct sample measurement_in_time(const struct measurement *m, const int64_t *values, const int64_t *subtracted)
{
    const size_t capacity = m->reps_valid + (size_t)m->overrun;
    struct sample sample = {.values = calloc(capacity + 1, sizeof *sample.values),
                            .pass_values = calloc(m->passes + 1, sizeof *sample.pass_values),
                            .passes = m->passes};
    if (sample.values == NULL || sample.pass_values == NULL)
        return sample;
    for (size_t pass = 0, rep = 0, end = 0; pass < m->passes; pass++)
        for (end += (size_t)m->pass_reps[pass]; rep < end; rep++)
            if (measurement_counts(m, rep)) {
                const double offset =
                    subtracted == NULL ? 0.0 : (double)subtracted[rep] / (double)m->operations_per_rep;
                sample.values[sample.count++] = (double)values[rep] - offset;
                sample.pass_values[pass]++;
            }
    return sample;
}

static void measurement_free_sample(struct sample *sample)
{
    free(sample->values);
    free(sample->pass_values);
}

static struct statistics measurement_statistics_of(const struct measurement *m, const int64_t *subtracted,
                                                   const struct options *options)
{
    struct sample sample = measurement_in_time(m, m->time_ns, subtracted);
    const struct statistics statistics = statistics_of(&sample, options->trim, options->confidence);
    measurement_free_sample(&sample);
    return statistics;
}

struct statistics measurement_statistics(const struct measurement *m, const struct options *options)
{
    return measurement_statistics_of(m, NULL, options);
}

/* The statistics of times counted from the last start, for arrival patterns. */
static struct statistics measurement_from_last(const struct measurement *m, const struct options *options)
{
    return measurement_statistics_of(m, m->skew_ns, options);
}

static double measurement_median_of(const struct measurement *m, const int64_t *values)
{
    struct sample sample = measurement_in_time(m, values, NULL);
    const double median = statistics_median(sample.values, sample.count);
    measurement_free_sample(&sample);
    return median;
}

double measurement_median(const struct measurement *m)
{
    return measurement_median_of(m, m->time_ns);
}

/* Return the median of last start minus first start. */
static double measurement_start_skew(const struct measurement *m)
{
    return measurement_median_of(m, m->skew_ns);
}

/* Return the number of overruns that are longer than all valid repetitions. */
static int64_t measurement_longest_overruns(const struct measurement *m)
{
    int64_t longest_ns = 0, longest_overruns = 0;
    for (size_t i = 0; i < m->reps; i++)
        if (m->valid[i] && m->time_ns[i] > longest_ns)
            longest_ns = m->time_ns[i];
    for (size_t i = 0; i < m->reps; i++)
        longest_overruns += m->overran[i] && m->time_ns[i] > longest_ns;
    return longest_overruns;
}

void measurement_free(struct measurement *m)
{
    free(m->pass_reps);
    free(m->time_ns);
    free(m->local_ns);
    free(m->skew_ns);
    free(m->valid);
    free(m->overran);
    free(m->regimes.level_ns);
    free(m->regimes.disturbed);
    trace_report_free(&m->trace);
    probe_log_free(&m->probes);
    *m = (struct measurement){0};
}

static void measurement_give_verdict(const struct session *session, struct measurement *m)
{
    const struct options *const options = session->options;
    const struct timer_quality *const timer = &session->calibration.timer;
    const struct verification_worst *const clock = &m->summary.clock;
    const struct verdict_input input = {
        .statistics = &m->summary.statistics,
        .longest_overruns = m->summary.longest_overruns,
        .ignored = statistics_ignored(&m->summary.statistics, options->confidence),
        .reps = (int64_t)m->reps,
        .valid = (int64_t)m->reps_valid,
        .min_valid = options->min_valid,
        .late_start = m->late_start,
        .overrun = m->overrun,
        .given_up = m->given_up,
        .disturbed = m->regimes.include_disturbed && m->regimes.disturbed_valid > 0,
        .line_ns = m->regimes.line_ns,
        .quiet_line_ns = m->regimes.quiet_ns,
        .missing = m->missing,
        .check_failed = m->check.wrong,
        .known_time = m->operation->known_time,
        .one_clock = session_has_one_clock(session),
        .target_relative_error = session->stop->needs_statistics ? options->relative_error : 0.0,
        .timer_step_ns = timer->resolution_ns + timer->cost_ns,
        .clock_error_ns = (double)clock->error_ns,
        .clock_rank = clock->rank,
        .causality_violations = m->causality.violations,
        .causality_worst_ns = m->causality.worst_ns,
        .causality_rank = m->causality.rank,
        .clock_certain_ns = (double)clock->certain_ns,
        .clock_bound_ns = (double)clock->bound_ns,
    };
    m->summary.verdict = verdict_of(&input, m->summary.reason, sizeof m->summary.reason);
}

void measurement_summarise(const struct session *session, struct measurement *measurements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct measurement_summary *const summary = &measurements[i].summary;
        if (session->monitor != NULL)
            measurement_settle_regimes(&measurements[i], session->monitor->gate.reference, session->monitor->gate.limit,
                                       session->options->min_valid);
        summary->statistics = measurement_statistics(&measurements[i], session->options);
        summary->longest_overruns = measurement_longest_overruns(&measurements[i]);
        summary->from_last = measurement_from_last(&measurements[i], session->options);
        summary->start_skew_ns = measurement_start_skew(&measurements[i]);
        summary->clock = epoch_worst(&session->epochs[measurements[i].first_epoch],
                                     measurements[i].epoch - measurements[i].first_epoch + 1);
        measurement_give_verdict(session, &measurements[i]);
    }
}

/* Return the measurement of that operation; NULL if it has no valid repetitions. */
static const struct measurement *measurement_of(const struct measurement *measurements, size_t count,
                                                const char *operation)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(measurements[i].operation->name, operation) == 0 && measurements[i].reps_valid > 0)
            return &measurements[i];
    return NULL;
}

/* Return the mean time of an operation on process 0. */
static double measurement_on_zero(const struct measurement *m)
{
    return m->trace.means.zero_ns / (double)m->operations_per_rep;
}

void measurement_find_costs(struct measurement *measurements, size_t count)
{
    const struct measurement *const timer = measurement_of(measurements, count, "basic-timer");
    const struct measurement *const barrier = measurement_of(measurements, count, "basic-barrier");
    for (size_t i = 0; i < count; i++) {
        struct measurement *const measurement = &measurements[i];
        if (strcmp(measurement->operation->group, "basic") != 0 || timer == NULL || barrier == NULL)
            continue;
        measurement->has_costs = measurement->reps_valid > 0;
        measurement->timer_cost_ns = measurement_on_zero(timer);
        measurement->barrier_cost_ns = measurement_on_zero(barrier) - measurement->timer_cost_ns;
        measurement->cost_ns = measurement_on_zero(measurement);
        if (measurement != timer)
            measurement->cost_ns -= measurement->timer_cost_ns;
        if (measurement != timer && measurement != barrier)
            measurement->cost_ns -= measurement->barrier_cost_ns;
    }
}
