/* SPDX-License-Identifier: BSD-3-Clause */
/* estimator_table.c: the table of offset estimators. */
#include "estimate/estimator_table.h"

#include "estimate/estimator_envelope.h"
#include "estimate/estimator_min_rtt.h"

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
