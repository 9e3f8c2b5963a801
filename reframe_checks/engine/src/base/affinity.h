/* SPDX-License-Identifier: BSD-3-Clause */
/* affinity.h: the processors on which this process may run, and ranges of numbers as text. */
#ifndef ISOCHRON_AFFINITY_H
#define ISOCHRON_AFFINITY_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* Processors have numbers below this. */
enum { AFFINITY_CPUS = 8192 };

/* Return the set of processors, to be freed by CPU_FREE; NULL if the system does not report it. */
cpu_set_t *affinity_read(void);

bool affinity_has(const cpu_set_t *set, int cpu);

/* Write the processors as "0-3,8", truncated to the capacity; empty if the system does not report them. */
void affinity_text(char *text, size_t capacity);

/* Return their number; at least 1. */
int affinity_count(void);

/* Append "first" or "first-last", after a comma if needed; without effect if the capacity is too small. */
void affinity_append_range(char *text, size_t capacity, int first, int last);

#endif
