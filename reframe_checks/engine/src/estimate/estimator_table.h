/* SPDX-License-Identifier: BSD-3-Clause */
/* estimator_table.h: the offset estimators. */
#ifndef ISOCHRON_ESTIMATOR_TABLE_H
#define ISOCHRON_ESTIMATOR_TABLE_H

#include "estimate/estimator.h"
#include "words/choices.h"

const struct estimator *estimator_of(enum estimator_choice choice);

/* The estimator of that name, NULL if there is none. */
const struct estimator *estimator_find(const char *name);

#endif
