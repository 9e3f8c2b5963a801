/* SPDX-License-Identifier: BSD-3-Clause */
/* estimator.c: the offset estimators, a function and a line of the table each (see estimator.h). */
#include "estimate/estimator.h"

#include "base/text.h"

#include <stddef.h>

struct estimate estimator_begin(void)
{
    return (struct estimate){.bound_ns = INT64_MAX, .low_ns = INT64_MIN, .high_ns = INT64_MAX, .best_ns = INT64_MAX};
}

/* Tighten the hard limits by one exchange. */
static void estimator_tighten(struct estimate *estimate, const struct exchange *exchange)
{
    const int64_t low = exchange->remote - exchange->received;
    const int64_t high = exchange->remote - exchange->sent;
    if (low > estimate->low_ns)
        estimate->low_ns = low;
    if (high < estimate->high_ns)
        estimate->high_ns = high;
    estimate->exchanges++;
}

/*
 * min-rtt: the middle of the exchange with the smallest round trip (F. Cristian 1989; M. Kurnosov, MPIPerf, 2012).
 * An asymmetry of the two ways remains in the estimate, within the bound.
 */
static bool estimator_add_min_rtt(struct estimate *estimate, const struct exchange *exchange)
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

/*
 * envelope: the middle between the tightest limits of any two messages, one in each direction (T. Worsch, R. Reussner,
 * W. Augustin: On benchmarking collective MPI operations (SKaMPI), EuroPVM/MPI 2002).
 */
static bool estimator_add_envelope(struct estimate *estimate, const struct exchange *exchange)
{
    estimator_tighten(estimate, exchange);
    const int64_t width = estimate->high_ns - estimate->low_ns;
    const bool improved = width < estimate->best_ns;
    estimate->best_ns = width;
    estimate->offset_ns = estimate->low_ns + width / 2;
    estimate->bound_ns = width - width / 2;
    return improved;
}

static const struct estimator ESTIMATORS[] = {
    [ESTIMATOR_MIN_RTT] = {estimator_add_min_rtt},
    [ESTIMATOR_ENVELOPE] = {estimator_add_envelope},
};

const struct estimator *estimator_of(enum estimator_choice choice)
{
    return &ESTIMATORS[choice];
}

const struct estimator *estimator_find(const char *name)
{
    const int choice = text_choice(name, ESTIMATOR_NAMES);
    return choice < 0 ? NULL : &ESTIMATORS[choice];
}
