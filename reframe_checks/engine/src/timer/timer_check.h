/* SPDX-License-Identifier: BSD-3-Clause */
/* timer_check.h: tests the quality of a timer before it is used. */
#ifndef ISOCHRON_TIMER_CHECK_H
#define ISOCHRON_TIMER_CHECK_H

#include "timer/timer.h"

/* The timer and CLOCK_MONOTONIC_RAW at the same time; raw_ns is 0 if they were not read. */
struct timer_pair {
    int64_t ns;
    int64_t raw_ns;
};

/* The quality of a timer. */
struct timer_quality {
    double resolution_ns; /* step between readings */
    double cost_ns;       /* of one reading */
    bool monotonic;
    double rate_ppm; /* against CLOCK_MONOTONIC_RAW; 0 on a simulated machine */
    int invariant;   /* 1, 0, or -1 if not applicable */
};

/* Read both clocks before MPI_Init, so that timer_check need not wait to determine the rate; zero if impossible. */
struct timer_pair timer_first_pair(const struct timer_kind *kind, bool simulated);

/* Collective: test the timer on this process, briefly if simulated; *quality is the worst over the team. */
int timer_check(const struct timer *timer, struct timer_pair first, const struct team *team,
                struct timer_quality *quality, struct fault *fault);

/* Return why a timer of that quality is unusable; NULL if it is not. */
const char *timer_defect(const struct timer_quality *quality);

#endif
