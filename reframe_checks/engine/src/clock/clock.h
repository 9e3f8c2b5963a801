/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock.h: the time of rank 0, read on any process.
 *
 * The engine speaks of global time only; what relates it to the timer of this process is in here, and is set by a
 * synchroniser.
 */
#ifndef ISOCHRON_CLOCK_H
#define ISOCHRON_CLOCK_H

#include "timer/timer.h"

#include <stdbool.h>
#include <time.h>

/*
 * global = timer + offset + slope * (timer - x0). The reference point is where the model was learnt, never timer = 0:
 * an intercept there would carry the error of the slope times the time since.
 */
struct clock_model {
    int64_t x0_ns;
    int64_t offset_ns; /* at x0 */
    double slope;
};

enum { CLOCK_SLEEP_MARGIN = 4096 }; /* sleep for 244 ppm less than is left */

struct clock {
    struct timer timer;
    struct clock_model model;
    int64_t resolution_ns; /* step of the readings */
    double max_drift;      /* most that any two timers run apart, per unit of time; 0 where all are one */
    bool sleeps;           /* wait by sleeping, not by reading the clock over and over */
};

/* The global time at a reading of the timer. */
static inline int64_t clock_global(const struct clock_model *model, int64_t timer_ns)
{
    return timer_ns + model->offset_ns + (int64_t)(model->slope * (double)(timer_ns - model->x0_ns));
}

static inline int64_t clock_now(const struct clock *clock)
{
    return clock_global(&clock->model, timer_now(&clock->timer));
}

/*
 * Waits until the global time given and returns the reading that ended the wait. A sleep that ends within 2 ns of the
 * time is on time: simulated clocks are rounded. A long sleep ends a little early and is followed by a short one, as
 * the system need not sleep by our clock.
 */
static inline int64_t clock_wait(const struct clock *clock, int64_t until_ns)
{
    int64_t now = clock_now(clock);
    while (clock->sleeps && until_ns - now > 2) {
        const int64_t left = until_ns - now - (until_ns - now) / CLOCK_SLEEP_MARGIN;
        const struct timespec pause = {.tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000)};
        nanosleep(&pause, NULL);
        now = clock_now(clock);
    }
    while (!clock->sleeps && now < until_ns)
        now = clock_now(clock);
    return now;
}

#endif
