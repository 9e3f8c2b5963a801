/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock.h: the time of rank 0, read on any process.
 *
 * The engine speaks of global time only; what relates it to the timer of this process is in here, and is set by a
 * synchroniser.
 */
#ifndef ISOCHRON_CLOCK_H
#define ISOCHRON_CLOCK_H

#include "timer.h"

#include <stdbool.h>
#include <time.h>

struct clock {
    struct timer timer;
    int64_t offset_ns;     /* global = timer + offset */
    int64_t resolution_ns; /* step of the readings */
    bool sleeps;           /* wait by sleeping, not by reading the clock over and over */
};

static inline int64_t clock_now(const struct clock *clock)
{
    return timer_now(&clock->timer) + clock->offset_ns;
}

/*
 * Waits until the global time given and returns the reading that ended the wait. A sleep that ends within 2 ns of the
 * time is on time: simulated clocks are rounded.
 */
static inline int64_t clock_wait(const struct clock *clock, int64_t until_ns)
{
    int64_t now = clock_now(clock);
    while (clock->sleeps && until_ns - now > 2) {
        const int64_t left = until_ns - now;
        const struct timespec pause = {.tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000)};
        nanosleep(&pause, NULL);
        now = clock_now(clock);
    }
    while (!clock->sleeps && now < until_ns)
        now = clock_now(clock);
    return now;
}

#endif
