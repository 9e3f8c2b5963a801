/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dependence.h: how many independent values a series of run times is worth.
 *
 * Runs that follow each other resemble each other: with an autocorrelation of 0.3, 0.6 or 0.8 an interval that takes
 * them for independent covers 88, 74 or 55 % where it says 95 %. The series is taken for one of first order: n values
 * are worth n (1 - r) / (1 + r). r is estimated too low from few values, by about (1 + 4 r) / n (M. G. Kendall: Note on
 * bias in the estimation of autocorrelation. Biometrika 41, 1954), and is uncertain by sqrt((1 - r^2) / n) (M. S.
 * Bartlett, 1946), of which half is added where r is positive.
 */
#ifndef ISOCHRON_DEPENDENCE_H
#define ISOCHRON_DEPENDENCE_H

#include <stddef.h>

struct dependence {
    double autocorrelation; /* of neighbours, as observed; NaN where values are too few or all the same */
    double effective;       /* independent values that the series is worth: 1 to count, 0 of none */
    double widening;        /* of a standard error that takes the values for independent: 1 or more */
};

/* Of values in order of time, each moved into low to high, so that no outlier decides. */
struct dependence dependence_of(const double *values, size_t count, double low, double high);

#endif
