/* SPDX-License-Identifier: BSD-3-Clause */
/* calibration.c: how long a schedule takes to be announced (see calibration.h). */
#include "batch/calibration.h"

#include "batch/batch.h"
#include "machine/team_agree.h"
#include "statistics/median.h"

/* The lead is longer than what was measured by this; broadcasts that are timed; steps of the timer. */
enum { CALIBRATION_PAUSE_NS = 1000, CALIBRATION_BROADCASTS = 9, CALIBRATION_LATE_STEPS = 4 };

/*
 * Twice the median of a few: an upper estimate that one interruption does not spoil. As in a measurement, each follows
 * a reduction, which rank 0 may leave before others.
 */
static int calibration_lead(const struct team *team, const struct clock *clock, int64_t *lead_ns, struct fault *fault)
{
    double durations[CALIBRATION_BROADCASTS];
    const int broadcasts = timer_is_exact(&clock->timer) ? 1 : CALIBRATION_BROADCASTS;
    if (team_meet(team, fault))
        return (int)fault->code;
    for (int i = 0; i < broadcasts; i++) {
        struct batch_plan plan = {0};
        if (batch_announce(team, clock, 0, &plan, fault))
            return (int)fault->code;
        int64_t last_ns = clock_now(clock);
        if (team_maximum(team, &last_ns, 1, MPI_INT64_T, fault))
            return (int)fault->code;
        durations[i] = (double)(last_ns - plan.start_ns);
    }
    *lead_ns = (int64_t)(2.0 * statistics_median(durations, (size_t)broadcasts));
    return 0;
}

int calibration_run(const struct team *team, const struct clock *clock, struct calibration *calibration,
                    struct fault *fault)
{
    if (calibration_lead(team, clock, &calibration->lead_ns, fault))
        return (int)fault->code;
    calibration->tolerance_ns =
        (int64_t)(CALIBRATION_LATE_STEPS * (calibration->timer.resolution_ns + calibration->timer.cost_ns));
    /* Never so short that reading the plan and the clock takes longer. */
    calibration->lead_ns += CALIBRATION_PAUSE_NS + 4 * calibration->tolerance_ns;
    return 0;
}
