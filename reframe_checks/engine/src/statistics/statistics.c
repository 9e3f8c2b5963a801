/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * statistics.c: trimmed mean with winsorised standard error, and median with its binomial interval.
 *
 * J. W. Tukey, D. H. McLaughlin: Less vulnerable confidence and significance procedures for location based on a
 * single sample. Sankhya A 25, 1963: SE = s_w / ((1 - 2 g) sqrt(n)), t at n - 2 floor(g n) - 1 degrees of freedom.
 */
#include "statistics/statistics.h"

#include "statistics/distribution.h"

#include <math.h>
#include <stdlib.h>

static int statistics_compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

static double statistics_middle(const double *sorted, size_t count)
{
    if (count == 0)
        return NAN;
    return count % 2 == 1 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

double statistics_median(double *values, size_t count)
{
    if (count > 0)
        qsort(values, count, sizeof *values, statistics_compare);
    return statistics_middle(values, count);
}

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

struct statistics statistics_of(double *values, size_t count, double trim, double confidence)
{
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
    if (count == 0)
        return result;
    qsort(values, count, sizeof *values, statistics_compare);

    const size_t cut = (size_t)floor(trim * (double)count + 1e-9);
    result.used = count - 2 * cut;
    result.mean = statistics_mean(values + cut, result.used);
    result.min = values[0];
    result.max = values[count - 1];
    result.median = statistics_middle(values, count);
    if (result.used >= 2) {
        const double spread = statistics_winsorised_deviation(values, count, cut);
        result.se = spread / ((1.0 - 2.0 * trim) * sqrt((double)count));
        const double half = distribution_student_two_sided(confidence, result.used - 1) * result.se;
        result.ci_low = result.mean - half;
        result.ci_high = result.mean + half;
    }
    const size_t rank = distribution_median_rank(count, confidence);
    if (rank > 0) {
        result.median_low = values[rank - 1];
        result.median_high = values[count - rank];
    }
    return result;
}

size_t statistics_ignored(const struct statistics *statistics, double confidence)
{
    const size_t cut = (statistics->count - statistics->used) / 2;
    const size_t rank = distribution_median_rank(statistics->count, confidence);
    return cut > 0 || rank == 0 ? cut : rank - 1;
}

double statistics_relative_error(const struct statistics *statistics)
{
    return statistics->mean > 0.0 ? 0.5 * (statistics->ci_high - statistics->ci_low) / statistics->mean : NAN;
}
