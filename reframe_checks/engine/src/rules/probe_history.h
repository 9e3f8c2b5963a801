/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probe_history.h: probe readings of earlier launches of a run (--probe-history FILE).
 *
 * A launch of a second can lie within one regime of the machine. The history gives it the duration of a cache-line
 * round trip in the quiet regime, and the extra time that remains.
 *
 * Each launch appends one line, in one system call: the CRC-32 of the name of the MPI library in hexadecimal, since
 * another library may place its processes differently; the cache-line level at its end, its measuring time, and the
 * extra time included in that, all in ns. Malformed lines are ignored. A file that cannot be read is an empty history.
 */
#ifndef ISOCHRON_PROBE_HISTORY_H
#define ISOCHRON_PROBE_HISTORY_H

#include <stdint.h>

/* Over all launches in the file; launches with other libraries count for the times only. */
struct probe_history {
    double line_ns; /* the lower median of the cache-line levels; NaN without any */
    int64_t elapsed_ns, extra_ns;
};

struct probe_history_entry {
    uint32_t library;
    double line_ns;
    int64_t elapsed_ns, extra_ns;
};

/* Return the identifier of an MPI library by its name. */
uint32_t probe_history_library(const char *name);

/* Read the history; empty if path is NULL. */
struct probe_history probe_history_read(const char *path, uint32_t library);

/* Append a launch, unless path is NULL. Failures are ignored: they must not cost a measurement. */
void probe_history_add(const char *path, const struct probe_history_entry *launch);

#endif
