/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * estimator_envelope.c: the middle between the tightest limits that any two messages have set, one each way
 * (T. Worsch, R. Reussner, W. Augustin: On benchmarking collective MPI operations (SKaMPI), EuroPVM/MPI 2002).
 */
#include "estimate/estimator_envelope.h"

bool estimator_add_envelope(struct estimate *estimate, const struct exchange *exchange)
{
    estimator_tighten(estimate, exchange);
    const int64_t width = estimate->high_ns - estimate->low_ns;
    const bool improved = width < estimate->best_ns;
    estimate->best_ns = width;
    estimate->offset_ns = estimate->low_ns + width / 2;
    estimate->bound_ns = width - width / 2;
    return improved;
}
