/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * statistics.h: location and confidence interval of one sample of times.
 *
 * The mean is trimmed: the floor(trim * n) smallest and largest values are omitted. Its standard error is winsorised:
 * J. W. Tukey, D. H. McLaughlin: Less vulnerable confidence and significance procedures for location based on a single
 * sample. Sankhya A 25, 1963: SE = s_w / ((1 - 2 g) sqrt(n)), t at n - 2 floor(g n) - 1 degrees of freedom.
 *
 * From values. The median has the exact interval from order statistics. Consecutive repetitions are correlated: an
 * interval that treats them as independent has a coverage of 88, 74 or 55 % instead of 95 % at an autocorrelation of
 * 0.3, 0.6 or 0.8. Therefore both intervals are widened for a series of first order, in which n values are worth
 * n (1 - r) / (1 + r) independent ones. The estimate of r is biased by about -(1 + 4 r) / n (M. G. Kendall: Note on
 * bias in the estimation of autocorrelation. Biometrika 41, 1954) and has a standard error of sqrt((1 - r^2) / n) (M.
 * S. Bartlett, 1946), half of which is added if r is positive.
 *
 * From passes. Values of one pass share the state of the machine: if passes differ by more than the values within one,
 * 50 values of 7 passes are worth 7 independent ones. With enough passes the pass is therefore the unit (L. Kish:
 * Survey Sampling, 1965, ultimate clusters). The standard error of the trimmed mean is that of Tukey and McLaughlin,
 * from the passes' means of winsorised values: the sum of squares over h (h - 1), where h passes remain after trimming;
 * a slow pass widens it no more than slow values do. The interval of the median is from the passes' medians. Both use
 * Student's t at one degree of freedom less than there are passes. Passes are treated as independent: with 13 of them a
 * correction for correlation is so uncertain that it doubles intervals by chance.
 */
#ifndef ISOCHRON_STATISTICS_H
#define ISOCHRON_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Return the median of values, which are sorted in place; NaN without values. */
double statistics_median(double *values, size_t count);

/* Return Student's quantile a with P(|t| <= a) = confidence at dof degrees of freedom; NaN if dof < 1. */
double distribution_student_two_sided(double confidence, size_t dof);

/*
 * Return the rank r (from 1) such that order statistics r and n + 1 - r enclose the median with at least the
 * confidence; 0 if n is too small for that.
 */
size_t distribution_median_rank(size_t n, double confidence);

/* With fewer passes the intervals are from values: with four, Student's factor for the mean would be 4.3. */
enum { MIN_SPREAD_PASSES = 5 };

/* Values in order of time, and the number of values from each pass; without passes they are all from one. */
struct sample {
    double *values;
    size_t count;
    size_t *pass_values;
    size_t passes;
};

/* The number of independent values that a series is worth. */
struct dependence {
    double autocorrelation; /* at lag one, as observed; NaN for too few or equal values */
    double effective;       /* independent values: 1 to count, 0 without values */
    double widening;        /* factor of a standard error that treats the values as independent: at least 1 */
};

/* Compute it for values in order of time, winsorised to low and high, so that outliers do not decide. */
struct dependence dependence_of(const double *values, size_t count, double low, double high);

struct statistics {
    size_t count;     /* values */
    size_t used;      /* values that remain after trimming */
    bool from_passes; /* the intervals are from passes, otherwise from values */
    struct dependence dependence;
    double mean, se, ci_low, ci_high;
    double median, median_low, median_high;
    double min, max;
};

/*
 * Compute all of them; what the sample is too small for is NaN. The values are sorted in place. 0 <= trim < 0.5,
 * 0 < confidence < 1.
 */
struct statistics statistics_of(const struct sample *sample, double trim, double confidence);

/*
 * Return how many of the largest values could be arbitrarily larger without changing a reported figure: the trimmed
 * ones, or, without trimming, those above the interval of the median.
 */
size_t statistics_ignored(const struct statistics *statistics, double confidence);

/* Return half the interval of the mean over the mean; NaN if there is no interval or the mean is not positive. */
double statistics_relative_error(const struct statistics *statistics);

#endif
