/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pass_spread.h: how well a sample is known whose values were made in several passes.
 *
 * Values of one pass have in common what the machine did then: 50 values of 7 passes are worth 7 independent ones where
 * passes differ by more than the values of one. So the pass is the unit (L. Kish: Survey Sampling, 1965, ultimate
 * clusters). Where whole passes are slow, winsorised values keep the interval from being those passes' (J. W. Tukey,
 * D. H. McLaughlin, 1963).
 */
#ifndef ISOCHRON_PASS_SPREAD_H
#define ISOCHRON_PASS_SPREAD_H

#include <stddef.h>

/* From fewer passes there is no interval: with four, Student's factor for the mean would be 4.3. */
enum { PASS_SPREAD_FEWEST = 5 };

struct pass_spread {
    size_t passes;      /* that have values */
    double mean_se;     /* of the mean of all values, each moved into low to high */
    double median_mean; /* mean of the passes' medians */
    double median_se;   /* of that mean */
};

/*
 * Of values in order of time, made by passes of so many values each, which are sorted in place within their pass.
 * Errors are NaN with fewer than two passes.
 */
struct pass_spread pass_spread_of(double *values, const size_t *pass_values, size_t passes, double low, double high);

#endif
