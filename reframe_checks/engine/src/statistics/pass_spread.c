/* SPDX-License-Identifier: BSD-3-Clause */
/* pass_spread.c: the means and medians of passes, and how far they differ (see pass_spread.h). */
#include "statistics/pass_spread.h"

#include "statistics/median.h"

#include <math.h>

static double pass_spread_sum(const double *values, size_t count, double low, double high)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += fmin(fmax(values[i], low), high);
    return sum;
}

struct pass_spread pass_spread_of(double *values, const size_t *pass_values, size_t passes, double low, double high,
                                  size_t used)
{
    struct pass_spread found = {.mean_se = NAN, .median_se = NAN};
    size_t count = 0;
    for (size_t p = 0; p < passes; p++)
        count += pass_values[p];
    const double mean = pass_spread_sum(values, count, low, high) / (double)count;
    double mean_squares = 0.0, median_squares = 0.0;
    for (size_t p = 0; p < passes; values += pass_values[p++]) {
        if (pass_values[p] == 0)
            continue;
        const double own = (double)pass_values[p], before = (double)found.passes++;
        const double sum = pass_spread_sum(values, pass_values[p], low, high);
        const double beyond = statistics_median(values, pass_values[p]) - found.median_mean;
        found.median_mean += beyond / (before + 1.0);
        median_squares += beyond * beyond * before / (before + 1.0);
        mean_squares += (sum - own * mean) * (sum - own * mean);
    }
    if (found.passes < 2)
        return found;
    const double k = (double)found.passes, left = k * (double)used / (double)count;
    found.mean_se = left <= 1.0 ? NAN : sqrt(mean_squares * left / (left - 1.0)) / (double)used;
    found.median_se = sqrt(median_squares / (k * (k - 1.0)));
    return found;
}
