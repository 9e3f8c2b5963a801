/* SPDX-License-Identifier: BSD-3-Clause */
/* usage_facts.h: what relations can ask of a case: options, processes, operation and size, without MPI. */
#ifndef ISOCHRON_USAGE_FACTS_H
#define ISOCHRON_USAGE_FACTS_H

#include "base/condition.h"
#include "operation/operation.h"
#include "options/options.h"

struct usage_case {
    const struct options *options;
    int processes;                     /* 0: unknown */
    const struct operation *operation; /* NULL: unknown */
    int64_t bytes;                     /* -1: unknown */
};

/* from is a const struct usage_case *. */
struct fact usage_fact(const void *from, const char *name);

#endif
