/* SPDX-License-Identifier: BSD-3-Clause */
/* estimator.c: the table of offset estimators and what they share. */
#include "estimator.h"

#include <stddef.h>
#include <string.h>

static const struct estimator ESTIMATORS[] = {
    {"min-rtt", estimator_add_min_rtt},
    {"envelope", estimator_add_envelope},
};

const struct estimator *estimator_find(const char *name)
{
    for (size_t i = 0; i < sizeof ESTIMATORS / sizeof ESTIMATORS[0]; i++)
        if (strcmp(ESTIMATORS[i].name, name) == 0)
            return &ESTIMATORS[i];
    return NULL;
}

struct estimate estimator_begin(void)
{
    return (struct estimate){
        .bound_ns = INT64_MAX, .low_ns = INT64_MIN, .high_ns = INT64_MAX, .best_ns = INT64_MAX};
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
