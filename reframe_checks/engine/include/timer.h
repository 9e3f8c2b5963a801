/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer.h: the clocks that can be read. One table line a timer.
 *
 * A reading is int64 nanoseconds since the timer was opened: a double with seconds since 1970 has steps of 238 ns.
 */
#ifndef ISOCHRON_TIMER_H
#define ISOCHRON_TIMER_H

#include "fault.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer_kind;
struct test_clock;

struct timer {
    const struct timer_kind *kind;
    int64_t origin_ns;    /* raw reading at opening, in ns */
    double origin_s;      /* the same for a timer that counts seconds */
    uint64_t origin_tick; /* the same for a timer that counts ticks */
    double ns_per_tick;
    bool simulated;
    struct test_clock *test; /* a synthetic clock, for tests; else NULL */
};

struct timer_kind {
    const char *name;
    int64_t (*now)(const struct timer *timer);
    /* Sets the origin, and the rate where there is one. Collective over comm. */
    int (*start)(struct timer *timer, MPI_Comm comm, struct fault *fault);
    /* Why the timer cannot be used here, NULL when it can; NULL function: it always can. */
    const char *(*refusal)(bool simulated);
    bool before_mpi; /* whether it can be read before MPI_Init */
};

/* The timer and CLOCK_MONOTONIC_RAW at one moment; raw_ns is 0 where they were not read. */
struct timer_pair {
    int64_t ns;
    int64_t raw_ns;
};

/* What a trial of the timer has shown. */
struct timer_quality {
    double resolution_ns; /* step of its readings */
    double cost_ns;       /* of one reading */
    bool monotonic;
    double rate_ppm; /* against CLOCK_MONOTONIC_RAW; 0 on a simulated machine */
    int invariant; /* 1, 0, or -1 where the question has no meaning */
};

/* The table, ended by an entry without a name. */
const struct timer_kind *timer_table(void);

const struct timer_kind *timer_find(const char *name);

/* Collective over comm. An environment fault where the timer is refused. */
int timer_open(struct timer *timer, const struct timer_kind *kind, bool simulated, MPI_Comm comm,
               struct fault *fault);

static inline int64_t timer_now(const struct timer *timer)
{
    return timer->kind->now(timer);
}

/* A reading before MPI_Init, from which timer_check can tell the rate without waiting; none where it cannot be had. */
struct timer_pair timer_first_pair(const struct timer_kind *kind, bool simulated);

/* Whether all processes read one clock without noise: the simulated one, and no synthetic clocks before it. */
static inline bool timer_is_exact(const struct timer *timer)
{
    return timer->simulated && timer->test == NULL;
}

/* Tries the timer on this process, briefly when simulated; *quality becomes the worst over comm. */
int timer_check(const struct timer *timer, struct timer_pair first, MPI_Comm comm, struct timer_quality *quality,
                struct fault *fault);

/* Why a timer of that quality cannot be believed; NULL when it can. */
const char *timer_doubt(const struct timer_quality *quality);

/* The time stamp counter (timer_tsc.c). */
int64_t timer_tsc_now(const struct timer *timer);
int timer_tsc_start(struct timer *timer, MPI_Comm comm, struct fault *fault);
const char *timer_tsc_refusal(bool simulated);

/* Name of the kernel's clock source; "unknown" where it cannot be read. */
void timer_clock_source(char *name, int capacity);

#endif
