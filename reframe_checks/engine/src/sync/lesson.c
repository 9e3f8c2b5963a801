/* SPDX-License-Identifier: BSD-3-Clause */
/* lesson.c: one process learns global time from another (see lesson.h). */
#include "sync/lesson.h"

#include "clock/pair.h"
#include "machine/team_talk.h"
#include "statistics/drift_fit.h"

#include <math.h>
#include <stdlib.h>

/* A slope of fewer standard errors is not significant. */
static const double LESSON_SIGNIFICANT = 2.0;

/* What the teacher does not know of its own clock; the client adds it to its own doubts. */
enum { DOUBT_BOUND, DOUBT_OFFSET_SE, DOUBT_SLOPE_SE, DOUBT_DRIFT, DOUBTS };

int lesson_teach(const struct team *team, const struct clock *clock, const struct sync_plan *plan, int first, int end,
                 const struct synchronisation *own, struct fault *fault)
{
    struct clock corrected = *clock;
    corrected.model = own->model;
    for (int64_t j = 0; j < plan->points; j++)
        for (int client = first; client < end; client++)
            if (pair_answer(team, &corrected, client, fault))
                return (int)fault->code;
    const double doubts[DOUBTS] = {(double)synchronisation_bound(own, timer_now(&clock->timer)), own->offset_se_ns,
                                   own->slope_se, own->max_drift};
    for (int client = first; client < end; client++)
        if (team_send(team, doubts, DOUBTS, MPI_DOUBLE, client, TEAM_TAG_PAIR, fault))
            return (int)fault->code;
    return 0;
}

static int lesson_compare(const struct team *team, const struct clock *clock, const struct sync_plan *plan, int teacher,
                          struct drift_point *points, int64_t *exchanges, struct fault *fault)
{
    const struct pair_effort effort = plan->points == 1 ? pair_thorough(plan->patience) : pair_brief();
    int64_t begin_ns = 0; /* when the teacher had time */
    for (int64_t j = 0; j < plan->points; j++) {
        struct estimate estimate;
        if (j > 0)
            clock_wait(clock, begin_ns + j * plan->span_ns / (plan->points - 1));
        if (pair_ask(team, clock, plan->estimator, effort, teacher, &estimate, fault))
            return (int)fault->code;
        points[j] = (struct drift_point){estimate.middle_ns, estimate.offset_ns, estimate.bound_ns};
        begin_ns = j == 0 ? estimate.middle_ns : begin_ns;
        *exchanges += estimate.exchanges;
    }
    return 0;
}

/* From one comparison: the offset, and any drift there may be. */
static void lesson_take_offset(const struct clock *clock, const struct drift_point *point, struct synchronisation *own)
{
    own->model = (struct clock_model){.x0_ns = point->time_ns, .offset_ns = point->offset_ns};
    own->bound_ns = point->bound_ns;
    own->max_drift = clock->max_drift;
}

static void lesson_take_line(const struct drift_fit *fit, struct synchronisation *own)
{
    const bool significant = fabs(fit->slope) >= LESSON_SIGNIFICANT * fit->slope_se;
    own->model = (struct clock_model){fit->x0_ns, fit->offset_ns, significant ? fit->slope : 0.0};
    own->bound_ns = fit->bound_ns;
    own->offset_se_ns = fit->offset_se_ns;
    own->slope_se = fit->slope_se;
    own->max_drift = significant ? 0.0 : fabs(fit->slope);
}

int lesson_learn(const struct team *team, const struct clock *clock, const struct sync_plan *plan, int teacher,
                 struct synchronisation *own, struct fault *fault)
{
    struct drift_point *const points = calloc((size_t)plan->points, sizeof *points);
    double doubts[DOUBTS];
    if (points == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %lld comparisons", (long long)plan->points);
    if (lesson_compare(team, clock, plan, teacher, points, &own->exchanges, fault) == 0 &&
        team_receive(team, doubts, DOUBTS, MPI_DOUBLE, teacher, TEAM_TAG_PAIR, fault) == 0) {
        const struct drift_fit fit = plan->points > 1
                                         ? drift_fit_line(points, (size_t)plan->points, clock->resolution_ns)
                                         : (struct drift_fit){0};
        if (plan->points == 1)
            lesson_take_offset(clock, points, own);
        else
            lesson_take_line(&fit, own);
        own->bound_ns += (int64_t)doubts[DOUBT_BOUND];
        own->offset_se_ns = hypot(own->offset_se_ns, doubts[DOUBT_OFFSET_SE]);
        own->slope_se = hypot(own->slope_se, doubts[DOUBT_SLOPE_SE]);
        own->max_drift += plan->points == 1 ? 0.0 : doubts[DOUBT_DRIFT];
    }
    free(points);
    return (int)fault->code;
}
