/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * moment.h: the clock of the instruments, CLOCK_MONOTONIC of this process whatever timer the launch measures with, and
 * the pace of their readings: all readings together take no more than a given share of the time.
 */
#ifndef ISOCHRON_MOMENT_H
#define ISOCHRON_MOMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Nanoseconds since an arbitrary origin. */
static inline int64_t moment_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct pace {
    int64_t pause_factor; /* the pause after a reading is at least this multiple of the reading's duration, */
    int64_t min_pause_ns; /* and at least this */
    int64_t ended_ns;     /* the end of the last reading, */
    int64_t took_ns;      /* and its duration */
};

/* Return true if the pause after the last reading is over. */
static inline bool pace_is_due(const struct pace *pace, int64_t now_ns)
{
    const int64_t pause_ns = pace->pause_factor * pace->took_ns;
    return now_ns - pace->ended_ns >= (pause_ns > pace->min_pause_ns ? pause_ns : pace->min_pause_ns);
}

/* Record a reading that lasted from begin_ns to end_ns. */
static inline void pace_note(struct pace *pace, int64_t begin_ns, int64_t end_ns)
{
    pace->ended_ns = end_ns;
    pace->took_ns = end_ns - begin_ns;
}

#endif
