/* SPDX-License-Identifier: BSD-3-Clause */
/* median.h: values in order of size, and the one in the middle. */
#ifndef ISOCHRON_MEDIAN_H
#define ISOCHRON_MEDIAN_H

#include <stddef.h>

/* From the smallest to the largest, in place. */
void statistics_sort(double *values, size_t count);

/* The median of sorted values; NaN of none. */
double statistics_middle(const double *sorted, size_t count);

/* The median of values, which are sorted in place; NaN of none. */
double statistics_median(double *values, size_t count);

#endif
