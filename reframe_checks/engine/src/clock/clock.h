/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock.h: global time, the time of rank 0, on any process.
 *
 * The engine uses global time throughout; the model that relates it to the timer of this process is set by a
 * synchroniser.
 */
#ifndef ISOCHRON_CLOCK_H
#define ISOCHRON_CLOCK_H

#include "timer/timer.h"

#include <stdbool.h>
#include <time.h>

/*
 * global = timer + offset + slope * (timer - x0). x0 is the time of the fit, not 0: an intercept at 0 would include the
 * error of the slope times the time since.
 */
struct clock_model {
    int64_t x0_ns;
    int64_t offset_ns; /* at x0 */
    double slope;
};

enum { CLOCK_SLEEP_MARGIN = 4096 }; /* sleep for 244 ppm less than remains */

struct clock {
    struct timer timer;
    struct clock_model model;
    int64_t resolution_ns; /* of the timer */
    double max_drift;      /* the largest drift between two timers; 0 if all are one */
    bool sleeps;           /* wait by sleeping, not by polling the clock */
};

/* Return the global time at a reading of the timer. */
static inline int64_t clock_global(const struct clock_model *model, int64_t timer_ns)
{
    return timer_ns + model->offset_ns + (int64_t)(model->slope * (double)(timer_ns - model->x0_ns));
}

static inline int64_t clock_now(const struct clock *clock)
{
    return clock_global(&clock->model, timer_now(&clock->timer));
}

/*
 * Wait until the global time until_ns; return the reading that ended the wait. A sleep that ends within 2 ns of it is
 * on time: simulated clocks are rounded. A long sleep ends slightly early and is followed by a short one, since the
 * system sleeps by another clock.
 */
static inline int64_t clock_wait(const struct clock *clock, int64_t until_ns)
{
    int64_t now = clock_now(clock);
    while (clock->sleeps && until_ns - now > 2) {
        const int64_t remaining = until_ns - now - (until_ns - now) / CLOCK_SLEEP_MARGIN;
        const struct timespec pause = {.tv_sec = (time_t)(remaining / 1000000000),
                                       .tv_nsec = (long)(remaining % 1000000000)};
        nanosleep(&pause, NULL);
        now = clock_now(clock);
    }
    while (!clock->sleeps && now < until_ns)
        now = clock_now(clock);
    return now;
}

#endif
