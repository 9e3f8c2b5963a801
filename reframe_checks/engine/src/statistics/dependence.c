/* SPDX-License-Identifier: BSD-3-Clause */
/* dependence.c: the autocorrelation of neighbours, and what it leaves of a sample. */
#include "statistics/dependence.h"

#include <math.h>

/* Fewer values say nothing about their order. */
enum { DEPENDENCE_FEWEST = 8 };

/* No more than this is believed: beyond it a series of any length in use is worth next to nothing. */
static const double DEPENDENCE_MOST = 0.97;

static double dependence_observed(const double *values, size_t count, double low, double high)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += fmin(fmax(values[i], low), high);
    const double mean = sum / (double)count;
    double products = 0.0, squares = 0.0, before = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double distance = fmin(fmax(values[i], low), high) - mean;
        products += i > 0 ? before * distance : 0.0;
        squares += distance * distance;
        before = distance;
    }
    return squares > 0.0 ? products / squares : NAN;
}

struct dependence dependence_of(const double *values, size_t count, double low, double high)
{
    struct dependence found = {.autocorrelation = NAN, .effective = (double)count, .widening = 1.0};
    if (count < DEPENDENCE_FEWEST)
        return found;
    found.autocorrelation = dependence_observed(values, count, low, high);
    if (isnan(found.autocorrelation))
        return found;
    const double n = (double)count, r = found.autocorrelation;
    const double doubt = 0.5 * fmax(r, 0.0) * sqrt(fmax(1.0 - r * r, 0.0) / n);
    const double likely = fmin(fmax(r + (1.0 + 4.0 * r) / n + doubt, 0.0), DEPENDENCE_MOST);
    found.effective = fmax(n * (1.0 - likely) / (1.0 + likely), 1.0);
    /* The second factor: the variance of a series that is worth m values is too small by 1 - 1/m. */
    found.widening = sqrt(n / found.effective / fmax(1.0 - 1.0 / found.effective + 1.0 / n, 0.05));
    return found;
}
