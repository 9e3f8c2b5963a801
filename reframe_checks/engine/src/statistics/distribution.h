/* SPDX-License-Identifier: BSD-3-Clause */
/* distribution.h: quantiles that the intervals need. */
#ifndef ISOCHRON_DISTRIBUTION_H
#define ISOCHRON_DISTRIBUTION_H

#include <stddef.h>

/* Student's a: P(|t| <= a) = confidence at dof >= 1 degrees of freedom; NaN when dof < 1. */
double distribution_student_two_sided(double confidence, size_t dof);

/*
 * The rank r (from 1) such that order statistics r and n + 1 - r enclose the median with at least the confidence;
 * 0 when n is too small for any such pair.
 */
size_t distribution_median_rank(size_t n, double confidence);

#endif
