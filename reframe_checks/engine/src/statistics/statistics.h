/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * statistics.h: location and interval of one sample of run times.
 *
 * The mean is trimmed: the smallest and largest floor(trim * n) values are left out. Its standard error is
 * winsorised, so that the interval covers what it claims (Tukey & McLaughlin 1963).
 *
 * Where the values were made in enough passes, these are the unit of both intervals (pass_spread.h): that of the mean
 * is from the means of winsorised values, that of the median from the passes' medians, with Student's t of one degree
 * of freedom less than there are passes. With fewer passes the values are the unit, and the median has the exact
 * interval from order statistics. Either way both are widened for what neighbours have in common (dependence.h). What a
 * sample is too small for is NaN.
 */
#ifndef ISOCHRON_STATISTICS_H
#define ISOCHRON_STATISTICS_H

#include "statistics/dependence.h"
#include "statistics/median.h"

#include <stdbool.h>
#include <stddef.h>

/* Values in order of time, and how many of them each pass has made; without passes they are all of one. */
struct sample {
    double *values;
    size_t count;
    size_t *pass_values;
    size_t passes;
};

struct statistics {
    size_t count;     /* values */
    size_t used;      /* values left after trimming */
    bool from_passes; /* the intervals are; else from the values */
    struct dependence dependence;
    double mean, se, ci_low, ci_high;
    double median, median_low, median_high;
    double min, max;
};

/* Of a sample whose values are sorted in place. 0 <= trim < 0.5, 0 < confidence < 1. */
struct statistics statistics_of(const struct sample *sample, double trim, double confidence);

/*
 * How many of the longest values may be of any length without a change of what is reported: as many as are trimmed, and
 * without trimming, where the mean is to hold every value, as many as lie above the interval of the median.
 */
size_t statistics_ignored(const struct statistics *statistics, double confidence);

/* Half of the interval of the mean over the mean; NaN where there is no interval or the mean is not positive. */
double statistics_relative_error(const struct statistics *statistics);

#endif
