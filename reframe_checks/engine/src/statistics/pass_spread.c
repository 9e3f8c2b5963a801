/* SPDX-License-Identifier: BSD-3-Clause */
/* pass_spread.c: the means and medians of passes, and how far they differ (see pass_spread.h). */
#include "statistics/pass_spread.h"

#include "statistics/statistics.h"

#include <math.h>

static double pass_spread_sum(const double *values, size_t count, double low, double high)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += fmin(fmax(values[i], low), high);
    return sum;
}

struct pass_spread pass_spread_of(double *values, const size_t *pass_values, size_t passes, double low, double high)
{
    struct pass_spread found = {.median_mean = 0.0};
    size_t count = 0;
    for (size_t p = 0; p < passes; p++)
        count += pass_values[p];
    const double mean = pass_spread_sum(values, count, low, high) / (double)count;
    double mean_squares = 0.0, median_squares = 0.0;
    for (size_t p = 0; p < passes; values += pass_values[p++]) {
        if (pass_values[p] == 0)
            continue;
        found.passes++;
        const double beyond = pass_spread_sum(values, pass_values[p], low, high) - (double)pass_values[p] * mean;
        mean_squares += beyond * beyond;
        const double before = statistics_median(values, pass_values[p]) - found.median_mean;
        found.median_mean += before / (double)found.passes;
        median_squares += before * before * (double)(found.passes - 1) / (double)found.passes;
    }
    const double k = (double)found.passes, n = (double)count;
    found.mean_se = found.passes < 2 ? NAN : sqrt(mean_squares * k / (k - 1.0)) / n;
    found.median_se = found.passes < 2 ? NAN : sqrt(median_squares / (k * (k - 1.0)));
    return found;
}
