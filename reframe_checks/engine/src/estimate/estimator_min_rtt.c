/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * estimator_min_rtt.c: the middle of the exchange with the smallest round trip (Cristian 1989; Kurnosov 2012).
 * An asymmetry of the two ways stays in the estimate, within the bound.
 */
#include "estimate/estimator_min_rtt.h"

bool estimator_add_min_rtt(struct estimate *estimate, const struct exchange *exchange)
{
    estimator_tighten(estimate, exchange);
    const int64_t round_trip = exchange->received - exchange->sent;
    const bool improved = round_trip < estimate->best_ns;
    if (improved) {
        estimate->best_ns = round_trip;
        estimate->offset_ns = exchange->remote + round_trip / 2 - exchange->received;
    }
    const int64_t above = estimate->high_ns - estimate->offset_ns;
    const int64_t below = estimate->offset_ns - estimate->low_ns;
    estimate->bound_ns = above > below ? above : below;
    return improved;
}
