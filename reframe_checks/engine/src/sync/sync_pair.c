/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_pair.c: synchronises a client with a reference (see sync_pair.h). */
#include "sync/sync_pair.h"

#include "clock/comparison.h"
#include "estimate/drift_fit.h"
#include "machine/team.h"

#include <math.h>
#include <stdlib.h>

/* The statistical part of a bound in standard errors. */
static const double SYNC_PAIR_SIGMAS = 4.0;

int64_t synchronisation_growth(const struct synchronisation *sync, int64_t timer_ns)
{
    const double age_ns = (double)llabs(timer_ns - sync->model.x0_ns);
    return (int64_t)((sync->max_drift + SYNC_PAIR_SIGMAS * sync->slope_se) * age_ns);
}

int64_t synchronisation_bound(const struct synchronisation *sync, int64_t timer_ns)
{
    return sync->bound_ns + synchronisation_growth(sync, timer_ns);
}

/* A slope of fewer standard errors is not significant. */
static const double SYNC_PAIR_SIGNIFICANT = 2.0;

/* The reference's errors, which the client adds to its own. */
enum { SYNC_PAIR_BOUND, SYNC_PAIR_OFFSET_SE, SYNC_PAIR_SLOPE_SE, SYNC_PAIR_DRIFT, SYNC_PAIR_ERRORS };

int sync_pair_as_reference(const struct team *team, const struct clock *clock, const struct sync_plan *plan, int first,
                           int end, const struct synchronisation *sync, struct fault *fault)
{
    struct clock corrected = *clock;
    corrected.model = sync->model;
    for (int64_t j = 0; j < plan->points; j++)
        for (int client = first; client < end; client++)
            if (comparison_as_reference(team, &corrected, client, fault))
                return (int)fault->code;
    const double errors[SYNC_PAIR_ERRORS] = {(double)synchronisation_bound(sync, timer_now(&clock->timer)),
                                             sync->offset_se_ns, sync->slope_se, sync->max_drift};
    for (int client = first; client < end; client++)
        if (team_send(team, errors, SYNC_PAIR_ERRORS, MPI_DOUBLE, client, TEAM_TAG_COMPARISON, fault))
            return (int)fault->code;
    return 0;
}

static int sync_pair_compare(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
                             int reference, struct drift_point *points, int64_t *exchanges, struct fault *fault)
{
    const struct comparison_effort effort =
        plan->points == 1 ? comparison_thorough(plan->patience) : comparison_brief();
    int64_t begin_ns = 0; /* of the first comparison, when the reference was ready */
    for (int64_t j = 0; j < plan->points; j++) {
        struct estimate estimate;
        if (j > 0)
            clock_wait(clock, begin_ns + j * plan->span_ns / (plan->points - 1));
        if (comparison_as_client(team, clock, plan->estimator, effort, reference, &estimate, fault))
            return (int)fault->code;
        points[j] = (struct drift_point){estimate.middle_ns, estimate.offset_ns, estimate.bound_ns};
        begin_ns = j == 0 ? estimate.middle_ns : begin_ns;
        *exchanges += estimate.exchanges;
    }
    return 0;
}

/* From one comparison: the offset, with the largest possible drift in the bound. */
static void sync_pair_take_offset(const struct clock *clock, const struct drift_point *point,
                                  struct synchronisation *sync)
{
    sync->model = (struct clock_model){.x0_ns = point->time_ns, .offset_ns = point->offset_ns};
    sync->bound_ns = point->bound_ns;
    sync->max_drift = clock->max_drift;
}

static void sync_pair_take_line(const struct drift_fit *fit, struct synchronisation *sync)
{
    const bool significant = fabs(fit->slope) >= SYNC_PAIR_SIGNIFICANT * fit->slope_se;
    sync->model = (struct clock_model){fit->x0_ns, fit->offset_ns, significant ? fit->slope : 0.0};
    sync->bound_ns = fit->bound_ns;
    sync->offset_se_ns = fit->offset_se_ns;
    sync->slope_se = fit->slope_se;
    sync->max_drift = significant ? 0.0 : fabs(fit->slope);
}

int sync_pair_as_client(const struct team *team, const struct clock *clock, const struct sync_plan *plan, int reference,
                        struct synchronisation *sync, struct fault *fault)
{
    struct drift_point *const points = calloc((size_t)plan->points, sizeof *points);
    double errors[SYNC_PAIR_ERRORS];
    if (points == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %lld comparisons", (long long)plan->points);
    if (sync_pair_compare(team, clock, plan, reference, points, &sync->exchanges, fault) == 0 &&
        team_receive(team, errors, SYNC_PAIR_ERRORS, MPI_DOUBLE, reference, TEAM_TAG_COMPARISON, fault) == 0) {
        const struct drift_fit fit = plan->points > 1
                                         ? drift_fit_line(points, (size_t)plan->points, clock->resolution_ns)
                                         : (struct drift_fit){0};
        if (plan->points == 1)
            sync_pair_take_offset(clock, points, sync);
        else
            sync_pair_take_line(&fit, sync);
        sync->bound_ns += (int64_t)errors[SYNC_PAIR_BOUND];
        sync->offset_se_ns = hypot(sync->offset_se_ns, errors[SYNC_PAIR_OFFSET_SE]);
        sync->slope_se = hypot(sync->slope_se, errors[SYNC_PAIR_SLOPE_SE]);
        sync->max_drift += plan->points == 1 ? 0.0 : errors[SYNC_PAIR_DRIFT];
    }
    free(points);
    return (int)fault->code;
}
