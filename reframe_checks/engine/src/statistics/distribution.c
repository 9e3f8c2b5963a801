/* SPDX-License-Identifier: BSD-3-Clause */
/* distribution.c: Student's t and the sign-test binomial, both exact for whole numbers (see distribution.h). */
#include "statistics/distribution.h"

#include <math.h>

static const double HALF_PI = 1.57079632679489661923;

/*
 * P(|t| <= tan(theta) * sqrt(dof)), the finite series for whole degrees of freedom:
 * Abramowitz & Stegun, Handbook of Mathematical Functions, 1964, 26.7.3 and 26.7.4.
 */
static double distribution_student_within(double theta, size_t dof)
{
    const double sine = sin(theta);
    const double cosine = cos(theta);
    if (dof == 1)
        return theta / HALF_PI;
    double term = dof % 2 == 0 ? 1.0 : cosine;
    double sum = term;
    for (size_t k = dof % 2 == 0 ? 2 : 3; k + 1 < dof; k += 2) {
        term *= cosine * cosine * (double)(k - 1) / (double)k;
        sum += term;
    }
    return dof % 2 == 0 ? sine * sum : (theta + sine * sum) / HALF_PI;
}

double distribution_student_two_sided(double confidence, size_t dof)
{
    if (dof < 1)
        return NAN;
    double low = 0.0;
    double high = HALF_PI;
    for (int i = 0; i < 200 && low < high; i++) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        if (distribution_student_within(middle, dof) < confidence)
            low = middle;
        else
            high = middle;
    }
    return tan(0.5 * (low + high)) * sqrt((double)dof);
}

size_t distribution_median_rank(size_t n, double confidence)
{
    const double tail = 0.5 * (1.0 - confidence);
    double below = 0.0; /* P(X < rank), X binomial (n, 1/2) */
    for (size_t rank = 0; rank <= n / 2; rank++) {
        const double size = (double)n;
        const double k = (double)rank;
        below += exp(lgamma(size + 1) - lgamma(k + 1) - lgamma(size - k + 1) - size * log(2.0));
        if (below > tail * (1.0 + 1e-9))
            return rank;
    }
    return n / 2;
}
