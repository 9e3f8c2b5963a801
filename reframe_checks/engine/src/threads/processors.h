/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * processors.h: which processor each thread of each process of a host is pinned to.
 *
 * Processes that may run on the same processors divide them: every thread has one of its own, and hardware threads of
 * one core are only used when every core is. If that is impossible, or the processors of two processes overlap in part,
 * no thread is pinned.
 */
#ifndef ISOCHRON_PROCESSORS_H
#define ISOCHRON_PROCESSORS_H

#include "base/affinity.h"

#include <stdint.h>

enum { PROCESSORS_MAX = AFFINITY_CPUS, PROCESSORS_WORDS = PROCESSORS_MAX / 64 };

/* A set of processors, without pointers: processes send it to each other. */
struct processors {
    uint64_t words[PROCESSORS_WORDS];
};

void processors_add(struct processors *set, int processor);

/* Set the processors on which this process may run; none if the system does not report them. */
void processors_read(struct processors *set);

/* Return the core of a processor, as the lowest number of its hardware threads; itself if it is not reported. */
int processors_core(int processor);

/*
 * Choose the processors of process `index` of a host with `count` processes, one for each of its threads; return the
 * number of threads that have one: all or 0. core: processors_core, or that of a test.
 */
int processors_divide(const struct processors *sets, int count, int index, int threads, int (*core)(int processor),
                      int *chosen);

#endif
