/* SPDX-License-Identifier: BSD-3-Clause */
/* measurement.c: keeps the raw runs of one operation at one size (see measurement.h). */
#include "measure/measurement.h"

#include <math.h>
#include <stdlib.h>

/* Memory with room for capacity entries; where there is none it stays as it is, and *failed is set. */
static void *measurement_room(void *memory, size_t capacity, size_t entry, bool *failed)
{
    void *const room = realloc(memory, capacity * entry);
    if (room != NULL)
        return room;
    *failed = true;
    return memory;
}

static int measurement_grow(struct measurement *m, size_t runs, struct fault *fault)
{
    const size_t capacity = 2 * runs;
    bool failed = false;
    if (runs <= m->capacity)
        return 0;
    m->time_ns = measurement_room(m->time_ns, capacity, sizeof *m->time_ns, &failed);
    m->local_ns = measurement_room(m->local_ns, capacity, sizeof *m->local_ns, &failed);
    m->skew_ns = measurement_room(m->skew_ns, capacity, sizeof *m->skew_ns, &failed);
    m->valid = measurement_room(m->valid, capacity, sizeof *m->valid, &failed);
    m->overran = measurement_room(m->overran, capacity, sizeof *m->overran, &failed);
    m->regimes.level_ns = measurement_room(m->regimes.level_ns, capacity, sizeof *m->regimes.level_ns, &failed);
    m->regimes.disturbed = measurement_room(m->regimes.disturbed, capacity, sizeof *m->regimes.disturbed, &failed);
    if (failed)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %zu runs", runs);
    m->capacity = capacity;
    return 0;
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

int measurement_add(struct measurement *m, const struct run_summary *summaries, int64_t runs, struct fault *fault)
{
    if (measurement_grow(m, m->runs + (size_t)runs, fault))
        return (int)fault->code;
    for (int64_t l = 0; l < runs; l++) {
        const struct run_summary *const summary = &summaries[l];
        m->time_ns[m->runs] = summary->time_ns;
        m->local_ns[m->runs] = summary->local_ns;
        m->skew_ns[m->runs] = summary->skew_ns;
        m->valid[m->runs] = batch_is_valid(summary);
        m->overran[m->runs] = batch_is_long(summary);
        m->regimes.level_ns[m->runs] = NAN;
        m->regimes.disturbed[m->runs] = false;
        m->reps_valid += m->valid[m->runs];
        m->late_start += summary->late;
        m->overrun += m->overran[m->runs];
        m->runs++;
    }
    m->pass_reps[m->passes - 1] += runs;
    return 0;
}

/* Marks the run as disturbed or not. */
static void measurement_mark(struct measurement *m, size_t run, double limit_ns)
{
    m->regimes.apart -= m->regimes.disturbed[run] && m->valid[run];
    m->regimes.disturbed[run] = m->regimes.level_ns[run] > limit_ns;
    m->regimes.apart += m->regimes.disturbed[run] && m->valid[run];
}

void measurement_set_level(struct measurement *m, double level_ns, double limit_ns)
{
    for (; m->regimes.known < m->runs; m->regimes.known++) {
        m->regimes.level_ns[m->regimes.known] = level_ns;
        measurement_mark(m, m->regimes.known, limit_ns);
    }
}

/* The median level of the disturbed runs, NaN where there are none. */
static double measurement_disturbed_line(const struct measurement *m)
{
    double *const levels = calloc(m->runs + 1, sizeof *levels);
    size_t count = 0;
    for (size_t i = 0; levels != NULL && i < m->runs; i++)
        if (m->regimes.disturbed[i])
            levels[count++] = m->regimes.level_ns[i];
    const double line_ns = statistics_median(levels, count);
    free(levels);
    return line_ns;
}

void measurement_settle_regimes(struct measurement *m, double quiet_ns, double limit_ns, int64_t min_valid)
{
    struct measurement_regimes *const regimes = &m->regimes;
    regimes->quiet_ns = quiet_ns;
    regimes->limit_ns = limit_ns;
    for (size_t i = 0; i < m->runs; i++)
        measurement_mark(m, i, limit_ns);
    regimes->count_all = false;
    regimes->count_all = (int64_t)measurement_valid(m) < min_valid;
    regimes->line_ns = measurement_disturbed_line(m);
    for (size_t i = 0; i < m->runs && !regimes->count_all; i++)
        if (regimes->disturbed[i]) {
            regimes->excluded += m->valid[i] || m->overran[i];
            m->reps_valid -= m->valid[i];
            m->overrun -= m->overran[i];
            m->valid[i] = m->overran[i] = false;
        }
    regimes->apart = regimes->count_all ? regimes->apart : 0;
}

size_t measurement_valid(const struct measurement *m)
{
    return m->regimes.count_all ? m->reps_valid : m->reps_valid - m->regimes.apart;
}

/* Whether the run is one of those that the statistics are of. */
static bool measurement_counts(const struct measurement *m, size_t run)
{
    return (m->valid[run] || m->overran[run]) && (m->regimes.count_all || !m->regimes.disturbed[run]);
}

/*
 * The values of the runs that started in time and count, less the part of an operation in others of theirs where there
 * are any, pass by pass; to be freed. No values where there are none or memory is short.
 */
static struct sample measurement_in_time(const struct measurement *m, const int64_t *values, const int64_t *less)
{
    const size_t most = m->reps_valid + (size_t)m->overrun;
    struct sample sample = {.values = calloc(most + 1, sizeof *sample.values),
                            .pass_values = calloc(m->passes + 1, sizeof *sample.pass_values),
                            .passes = m->passes};
    if (sample.values == NULL || sample.pass_values == NULL)
        return sample;
    for (size_t pass = 0, run = 0, end = 0; pass < m->passes; pass++)
        for (end += (size_t)m->pass_reps[pass]; run < end; run++)
            if (measurement_counts(m, run)) {
                const double off = less == NULL ? 0.0 : (double)less[run] / (double)m->operations_per_rep;
                sample.values[sample.count++] = (double)values[run] - off;
                sample.pass_values[pass]++;
            }
    return sample;
}

static void measurement_free_sample(struct sample *sample)
{
    free(sample->values);
    free(sample->pass_values);
}

static struct statistics measurement_statistics_of(const struct measurement *m, const int64_t *less,
                                                   const struct options *options)
{
    struct sample sample = measurement_in_time(m, m->time_ns, less);
    const struct statistics statistics = statistics_of(&sample, options->trim, options->confidence);
    measurement_free_sample(&sample);
    return statistics;
}

struct statistics measurement_statistics(const struct measurement *m, const struct options *options)
{
    return measurement_statistics_of(m, NULL, options);
}

struct statistics measurement_from_last(const struct measurement *m, const struct options *options)
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

double measurement_start_skew(const struct measurement *m)
{
    return measurement_median_of(m, m->skew_ns);
}

int64_t measurement_longer(const struct measurement *m)
{
    int64_t longest_ns = 0, longer = 0;
    for (size_t i = 0; i < m->runs; i++)
        if (m->valid[i] && m->time_ns[i] > longest_ns)
            longest_ns = m->time_ns[i];
    for (size_t i = 0; i < m->runs; i++)
        longer += m->overran[i] && m->time_ns[i] > longest_ns;
    return longer;
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
    weather_log_free(&m->weather);
    *m = (struct measurement){0};
}
