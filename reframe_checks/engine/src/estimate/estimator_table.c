/* SPDX-License-Identifier: BSD-3-Clause */
/* estimator_table.c: the table of offset estimators. */
#include "estimate/estimator_table.h"

#include "base/text.h"
#include "estimate/estimator_envelope.h"
#include "estimate/estimator_min_rtt.h"

#include <stddef.h>

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
    const int choice = text_choice(name, ESTIMATOR_WORDS);
    return choice < 0 ? NULL : &ESTIMATORS[choice];
}
