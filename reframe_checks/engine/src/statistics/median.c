/* SPDX-License-Identifier: BSD-3-Clause */
/* median.c: values in order of size, and the one in the middle (see median.h). */
#include "statistics/median.h"

#include <math.h>
#include <stdlib.h>

static int statistics_compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

void statistics_sort(double *values, size_t count)
{
    if (count > 0)
        qsort(values, count, sizeof *values, statistics_compare);
}

double statistics_middle(const double *sorted, size_t count)
{
    if (count == 0)
        return NAN;
    return count % 2 == 1 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

double statistics_median(double *values, size_t count)
{
    statistics_sort(values, count);
    return statistics_middle(values, count);
}
