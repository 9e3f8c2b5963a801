/* SPDX-License-Identifier: BSD-3-Clause */
/* timer_check.h: tries a timer before it is trusted. */
#ifndef ISOCHRON_TIMER_CHECK_H
#define ISOCHRON_TIMER_CHECK_H

#include "timer/timer.h"

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
    int invariant;   /* 1, 0, or -1 where the question has no meaning */
};

/* A reading before MPI_Init, from which timer_check can tell the rate without waiting; none where it cannot be had. */
struct timer_pair timer_first_pair(const struct timer_kind *kind, bool simulated);

/* Tries the timer on this process, briefly when simulated; *quality becomes the worst over the team. */
int timer_check(const struct timer *timer, struct timer_pair first, const struct team *team,
                struct timer_quality *quality, struct fault *fault);

/* Why a timer of that quality is not reliable; NULL when it can. */
const char *timer_doubt(const struct timer_quality *quality);

#endif
