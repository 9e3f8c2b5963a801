/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calibration.h: what the engine itself costs on this machine, measured before anything else.
 *
 * overhead_ns is what a run of known length takes too long: an operation that only waits 1 microsecond is run 500 times
 * by the window scheme; the 99 % quantile of its end after the scheduled start, less the microsecond, plus the timer's
 * resolution, the worst over all processes. It bounds what the engine adds to an undisturbed run, of a wait pattern
 * too.
 */
#ifndef ISOCHRON_CALIBRATION_H
#define ISOCHRON_CALIBRATION_H

#include "clock/clock.h"
#include "machine/team.h"
#include "timer/timer_check.h"

struct calibration {
    struct timer_quality timer;
    int64_t lead_ns; /* t_bcast: upper estimate of the time to announce a schedule */
    int64_t overhead_ns;
    int64_t tolerance_ns; /* a start is late when it is later than this: 4 (resolution + cost) of the timer */
};

/* Collective; the clocks are synchronised. calibration->timer is known. */
int calibration_run(const struct team *team, const struct clock *clock, struct calibration *calibration,
                    struct fault *fault);

#endif
