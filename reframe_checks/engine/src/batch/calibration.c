/* SPDX-License-Identifier: BSD-3-Clause */
/* calibration.c: what the engine itself costs (see calibration.h). */
#include "batch/calibration.h"

#include "batch/batch.h"
#include "call/call.h"
#include "machine/team_agree.h"
#include "scheme/scheme_window.h"
#include "statistics/median.h"

#include <stddef.h>

/* Every simulated reading is an event of the simulation; where nothing disturbs it, one run says as much as many. */
enum {
    CALIBRATION_RUNS = 500,
    CALIBRATION_SIMULATED = 20,
    CALIBRATION_PAUSE_NS = 1000,
    CALIBRATION_BROADCASTS = 9,
    CALIBRATION_LATE_STEPS = 4
};

static int calibration_wait(struct call *call)
{
    clock_wait(call->clock, clock_now(call->clock) + CALIBRATION_PAUSE_NS);
    return MPI_SUCCESS;
}

/* Each run is a batch of its own: none is late because of the one before. */
static double calibration_overhead(const struct clock *clock)
{
    const struct operation wait = {.name = "wait", .run = calibration_wait};
    struct call call = {.clock = clock};
    const struct scheme_context context = {.clock = clock, .operation = &wait, .call = &call};
    double late[CALIBRATION_RUNS];
    const int runs = timer_is_exact(&clock->timer) ? 1
                     : clock->timer.simulated      ? CALIBRATION_SIMULATED
                                                   : CALIBRATION_RUNS;
    for (int i = 0; i < runs; i++) {
        const struct batch_plan plan = {
            .runs = 1, .operations = 1, .start_ns = clock_now(clock) + CALIBRATION_PAUSE_NS};
        struct fault none = {0};
        struct run run;
        scheme_window_batch(&context, &plan, &run, &none);
        late[i] = (double)(run.end_ns - plan.start_ns - CALIBRATION_PAUSE_NS);
    }
    statistics_median(late, (size_t)runs); /* sorts */
    return late[runs - 1 - runs / 100];
}

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
    double overhead = calibration_overhead(clock) + calibration->timer.resolution_ns;
    if (team_maximum(team, &overhead, 1, MPI_DOUBLE, fault) ||
        calibration_lead(team, clock, &calibration->lead_ns, fault))
        return (int)fault->code;
    calibration->overhead_ns = (int64_t)overhead;
    calibration->tolerance_ns =
        (int64_t)(CALIBRATION_LATE_STEPS * (calibration->timer.resolution_ns + calibration->timer.cost_ns));
    /* Never so short that reading the plan and the clock takes longer. */
    calibration->lead_ns += CALIBRATION_PAUSE_NS + 4 * calibration->tolerance_ns;
    return 0;
}
