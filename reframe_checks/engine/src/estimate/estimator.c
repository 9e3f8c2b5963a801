/* SPDX-License-Identifier: BSD-3-Clause */
/* estimator.c: what all offset estimators share. */
#include "estimate/estimator.h"

struct estimate estimator_begin(void)
{
    return (struct estimate){.bound_ns = INT64_MAX, .low_ns = INT64_MIN, .high_ns = INT64_MAX, .best_ns = INT64_MAX};
}

void estimator_tighten(struct estimate *estimate, const struct exchange *exchange)
{
    const int64_t low = exchange->remote - exchange->received;
    const int64_t high = exchange->remote - exchange->sent;
    if (low > estimate->low_ns)
        estimate->low_ns = low;
    if (high < estimate->high_ns)
        estimate->high_ns = high;
    estimate->exchanges++;
}
