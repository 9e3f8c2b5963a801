/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer.h: the clocks that can be read. One line of timer_table.c a timer.
 *
 * A reading is int64 nanoseconds since the timer was opened: a double with seconds since 1970 has steps of 238 ns.
 */
#ifndef ISOCHRON_TIMER_H
#define ISOCHRON_TIMER_H

#include "base/fault.h"
#include "words/choices.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer_kind;
struct synthetic_clock;
struct team;

struct timer {
    const struct timer_kind *kind;
    int64_t origin_ns;    /* raw reading at opening, in ns */
    double origin_s;      /* the same for a timer that counts seconds */
    uint64_t origin_tick; /* the same for a timer that counts ticks */
    double ns_per_tick;
    bool simulated;
    struct synthetic_clock *test; /* a synthetic clock, for tests; else NULL */
};

struct timer_kind {
    enum timer_choice choice;
    int64_t (*now)(const struct timer *timer);
    /* Sets the origin, and the rate where there is one. Collective over comm. */
    int (*start)(struct timer *timer, MPI_Comm comm, struct fault *fault);
    /* Why the timer cannot be used here, NULL when it can; NULL function: it always can. */
    const char *(*refusal)(bool simulated);
    bool before_mpi; /* whether it can be read before MPI_Init */
};

/* Collective over the team. An environment fault where the timer is refused. */
int timer_open(struct timer *timer, const struct timer_kind *kind, bool simulated, const struct team *team,
               struct fault *fault);

static inline int64_t timer_now(const struct timer *timer)
{
    return timer->kind->now(timer);
}

/* Whether all processes read one clock without noise: the simulated one, and no synthetic clocks before it. */
static inline bool timer_is_exact(const struct timer *timer)
{
    return timer->simulated && timer->test == NULL;
}

#endif
