/* SPDX-License-Identifier: BSD-3-Clause */
/* calibration.h: how long a schedule takes to be announced, and when a start is late, measured before anything else. */
#ifndef ISOCHRON_CALIBRATION_H
#define ISOCHRON_CALIBRATION_H

#include "clock/clock.h"
#include "machine/team.h"
#include "timer/timer_check.h"

struct calibration {
    struct timer_quality timer;
    int64_t lead_ns;      /* t_bcast: upper estimate of the time to announce a schedule */
    int64_t tolerance_ns; /* a start is late when it is later than this: 4 (resolution + cost) of the timer */
};

/* Collective; the clocks are synchronised. calibration->timer is known. */
int calibration_run(const struct team *team, const struct clock *clock, struct calibration *calibration,
                    struct fault *fault);

#endif
