/* SPDX-License-Identifier: BSD-3-Clause */
/* reading.h: one reading of the machine: a number of each kind, NaN where there is none. */
#ifndef ISOCHRON_READING_H
#define ISOCHRON_READING_H

#include <stdbool.h>

enum reading_kind {
    READING_CACHE_LINE, /* ns for a cache line from one process to another of its host and back */
    READING_COMPUTE,    /* ns for a computation of a known number of cycles */
    READING_COPY,       /* GB/s from memory to memory, past the caches */
    READING_SWITCHES,   /* involuntary context switches since this was read last */
    READING_WAITED,     /* ns since then that a process was ready to run and did not */
    READING_STEAL,      /* ns that the hypervisor took from the host since the last reading of this kind */
    READING_FREQUENCY,  /* MHz of the processor, as the kernel says */
    READING_NETWORK,    /* us from one host to another and back */
    READING_KINDS
};

/* Of all processes together: the worst. */
struct reading {
    double value[READING_KINDS];
};

/* What a kind is called, with its unit. */
extern const char *const READING_NAMES[];

/* Whether the worst is the lowest. */
bool reading_is_rate(enum reading_kind kind);

#endif
