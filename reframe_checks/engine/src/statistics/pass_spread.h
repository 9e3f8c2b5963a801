/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pass_spread.h: how well a sample is known whose values were made in several passes.
 *
 * Values of one pass have in common what the machine did then: 50 values of 7 passes are worth 7 independent ones where
 * passes differ by more than the values of one. So the pass is the unit (L. Kish: Survey Sampling, 1965, ultimate
 * clusters). The error of the trimmed mean is that of Tukey and McLaughlin (1963), of the passes' means of winsorised
 * values: sum of squares over h (h - 1), with h the passes that trimming leaves. So passes that are slow as a whole
 * widen it no more than slow values do. Passes are taken for independent: with 13 of them a correction for what
 * neighbours have in common is so uncertain that it doubles intervals by chance.
 */
#ifndef ISOCHRON_PASS_SPREAD_H
#define ISOCHRON_PASS_SPREAD_H

#include <stddef.h>

/* From fewer passes there is no interval: with four, Student's factor for the mean would be 4.3. */
enum { PASS_SPREAD_FEWEST = 5 };

struct pass_spread {
    size_t passes;      /* that have values */
    double mean_se;     /* of the trimmed mean of all values */
    double median_mean; /* mean of the passes' medians */
    double median_se;   /* of that mean */
};

/*
 * Of values in order of time, made by passes of so many values each; they are sorted within their pass. Trimming leaves
 * the values from low to high, as many as are used. Errors are NaN with fewer than two passes; that of the mean, too,
 * where trimming leaves no more than one pass.
 */
struct pass_spread pass_spread_of(double *values, const size_t *pass_values, size_t passes, double low, double high,
                                  size_t used);

#endif
