/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * statistics.c: trimmed mean with winsorised standard error, and median with its binomial interval.
 *
 * J. W. Tukey, D. H. McLaughlin: Less vulnerable confidence and significance procedures for location based on a
 * single sample. Sankhya A 25, 1963: SE = s_w / ((1 - 2 g) sqrt(n)), t at n - 2 floor(g n) - 1 degrees of freedom.
 */
#include "statistics/statistics.h"

#include "statistics/distribution.h"
#include "statistics/pass_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double statistics_mean(const double *values, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* Standard deviation after the cut values on each side are replaced by the nearest that remains. */
static double statistics_winsorised_deviation(const double *sorted, size_t count, size_t cut)
{
    const double low = sorted[cut];
    const double high = sorted[count - 1 - cut];
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += fmin(fmax(sorted[i], low), high);
    const double mean = sum / (double)count;
    double squares = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double distance = fmin(fmax(sorted[i], low), high) - mean;
        squares += distance * distance;
    }
    return sqrt(squares / (double)(count - 1));
}

/* Degrees of freedom of the mean: those of as many independent values as the sample is worth. */
static size_t statistics_freedom(const struct statistics *statistics)
{
    const double share = statistics->dependence.effective / (double)statistics->count;
    const size_t freedom = (size_t)floor(share * (double)statistics->used);
    return freedom > 2 ? freedom - 1 : 1;
}

/* The rank of the median's interval: as far from the middle as the standard error is wider, at most the ends. */
static size_t statistics_rank(const struct statistics *statistics, double confidence)
{
    const size_t rank = distribution_median_rank(statistics->count, confidence);
    const double middle = 0.5 * (double)(statistics->count + 1);
    const double wider = middle - statistics->dependence.widening * (middle - (double)rank);
    return rank == 0 ? 0 : wider < 1.0 ? 1 : (size_t)floor(wider);
}

/* Both intervals from the values, as many independent ones as they are worth. */
static void statistics_from_values(const double *sorted, double trim, double confidence, struct statistics *result)
{
    if (result->used >= 2) {
        const size_t cut = (result->count - result->used) / 2;
        const double deviation = statistics_winsorised_deviation(sorted, result->count, cut);
        result->se = result->dependence.widening * deviation / ((1.0 - 2.0 * trim) * sqrt((double)result->count));
        const double half = distribution_student_two_sided(confidence, statistics_freedom(result)) * result->se;
        result->ci_low = result->mean - half;
        result->ci_high = result->mean + half;
    }
    const size_t rank = statistics_rank(result, confidence);
    if (rank > 0) {
        result->median_low = sorted[rank - 1];
        result->median_high = sorted[result->count - rank];
    }
}

/* Both intervals from the passes. The median of all values is in its own, though that of the passes is its centre. */
static void statistics_from_passes(const struct pass_spread *spread, double confidence, struct statistics *result)
{
    const size_t least = result->used < spread->passes ? result->used : spread->passes;
    const double half = distribution_student_two_sided(confidence, least - 1) * spread->mean_se;
    result->from_passes = true;
    result->se = spread->mean_se;
    result->ci_low = result->mean - half;
    result->ci_high = result->mean + half;
    const double median_half = distribution_student_two_sided(confidence, spread->passes - 1) * spread->median_se;
    result->median_low = fmin(spread->median_mean - median_half, result->median);
    result->median_high = fmax(spread->median_mean + median_half, result->median);
}

struct statistics statistics_of(const struct sample *sample, double trim, double confidence)
{
    const size_t count = sample->count;
    double *const values = sample->values;
    struct statistics result = {.count = count,
                                .mean = NAN,
                                .se = NAN,
                                .ci_low = NAN,
                                .ci_high = NAN,
                                .median = NAN,
                                .median_low = NAN,
                                .median_high = NAN,
                                .min = NAN,
                                .max = NAN};
    double *const series = count == 0 ? NULL : malloc(count * sizeof *series);
    if (series == NULL)
        return result;
    memcpy(series, values, count * sizeof *series);
    statistics_sort(values, count);

    const size_t cut = (size_t)floor(trim * (double)count + 1e-9);
    const double low = values[cut], high = values[count - 1 - cut];
    result.used = count - 2 * cut;
    result.dependence = dependence_of(series, count, low, high);
    result.mean = statistics_mean(values + cut, result.used);
    result.min = values[0];
    result.max = values[count - 1];
    result.median = statistics_middle(values, count);
    const struct pass_spread spread =
        pass_spread_of(series, sample->pass_values, sample->passes, low, high, result.used);
    if (spread.passes >= PASS_SPREAD_FEWEST && !isnan(spread.mean_se))
        statistics_from_passes(&spread, confidence, &result);
    else
        statistics_from_values(values, trim, confidence, &result);
    free(series);
    return result;
}

size_t statistics_ignored(const struct statistics *statistics, double confidence)
{
    const size_t cut = (statistics->count - statistics->used) / 2;
    const size_t rank = statistics_rank(statistics, confidence);
    return cut > 0 || rank == 0 ? cut : rank - 1;
}

double statistics_relative_error(const struct statistics *statistics)
{
    return statistics->mean > 0.0 ? 0.5 * (statistics->ci_high - statistics->ci_low) / statistics->mean : NAN;
}
