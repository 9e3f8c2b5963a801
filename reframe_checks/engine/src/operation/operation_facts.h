/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * operation_facts.h: what an operation is, as facts for conditions and for --describe.
 *
 * The same for every MPI library: whether a library has the call is no part of it.
 */
#ifndef ISOCHRON_OPERATION_FACTS_H
#define ISOCHRON_OPERATION_FACTS_H

#include "base/condition.h"
#include "operation/operation.h"

/* The fact of that name, as "root"; unknown where there is none. */
struct fact operation_fact(const struct operation *operation, const char *name);

/* The name of fact i, from 0 on; NULL after the last. */
const char *operation_fact_name(size_t i);

#endif
