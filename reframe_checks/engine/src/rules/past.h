/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * past.h: probe readings of earlier launches of a run (--probe-history FILE).
 *
 * A launch that lasts for a second can be over before a regime of the machine is. From the launches before it knows
 * what a cache line takes in the quiet one, and how much of the time for waiting is left.
 *
 * One line for each launch, added by one call: the CRC-32 of the name of the MPI library in hexadecimal, since another
 * library may place its processes otherwise; the cache line at its end, the time it measured and the extra time in
 * that, in ns. What is no such line is left out, and so is a file that cannot be read: then nothing is known.
 */
#ifndef ISOCHRON_PAST_H
#define ISOCHRON_PAST_H

#include <stdint.h>

/* Of all launches of the file; lines of another library count for the time alone. */
struct past {
    double line_ns; /* the lower median of the cache lines; NaN: none is known */
    int64_t elapsed_ns, extra_ns;
};

struct past_launch {
    uint32_t library;
    double line_ns;
    int64_t elapsed_ns, extra_ns;
};

/* What tells the MPI libraries of a run apart. */
uint32_t past_library(const char *name);

/* path NULL: nothing is known. */
struct past past_read(const char *path, uint32_t library);

/* Adds a launch. path NULL: does nothing. A file that cannot be written is no reason to lose a measurement. */
void past_add(const char *path, const struct past_launch *launch);

#endif
