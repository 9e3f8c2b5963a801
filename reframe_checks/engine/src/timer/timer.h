/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timer.h: the timers, functions and a line of the table each.
 *
 * A reading is int64 nanoseconds since the timer was opened: a double of seconds since 1970 has a resolution of 238 ns.
 */
#ifndef ISOCHRON_TIMER_H
#define ISOCHRON_TIMER_H

#include "base/fault.h"
#include "option_values/choices.h"

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
    struct synthetic_clock *test; /* a synthetic clock, for tests; otherwise NULL */
};

struct timer_kind {
    enum timer_choice choice;
    int64_t (*now)(const struct timer *timer);
    /* Set the origin, and the rate if the timer has one. Collective over comm. */
    int (*start)(struct timer *timer, MPI_Comm comm, struct fault *fault);
    /* Return why the timer cannot be used here, NULL if it can; the function is NULL if it always can. */
    const char *(*refusal)(bool simulated);
    bool before_mpi; /* it can be read before MPI_Init */
};

/* Collective over the team: open the timer; an environment fault if it cannot be used. */
int timer_open(struct timer *timer, const struct timer_kind *kind, bool simulated, const struct team *team,
               struct fault *fault);

static inline int64_t timer_now(const struct timer *timer)
{
    return timer->kind->now(timer);
}

/* Return true if all processes read one clock without noise: the simulated one, without synthetic clocks. */
static inline bool timer_is_exact(const struct timer *timer)
{
    return timer->simulated && timer->test == NULL;
}

const struct timer_kind *timer_of(enum timer_choice choice);

#endif
