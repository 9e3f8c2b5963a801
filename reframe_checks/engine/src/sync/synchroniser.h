/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * synchroniser.h: relates the clocks of all processes to that of rank 0. One table line a scheme.
 *
 * A scheme is who learns from whom (star, ring, tree) and whether the drift is learnt with the offset. What is stated
 * of the result is a bound for every process and every time:
 *     bound + (max_drift + 4 slope_se) * age
 * where bound is hard, as no message arrives before it is sent, and slope_se is statistical. Rates are taken to be
 * steady.
 */
#ifndef ISOCHRON_SYNCHRONISER_H
#define ISOCHRON_SYNCHRONISER_H

#include "clock/clock.h"
#include "estimate/estimator.h"
#include "machine/team.h"

/* What a process knows of its own clock. */
struct synchronisation {
    struct clock_model model;
    int64_t bound_ns;    /* half width at model.x0, along the whole way to rank 0 */
    double offset_se_ns; /* standard errors, along the whole way; 0 where the drift is not learnt */
    double slope_se;
    double max_drift; /* limit of the drift that the model leaves out */
    int64_t exchanges;
};

/* How to synchronise. */
struct sync_plan {
    const struct estimator *estimator;
    int64_t patience; /* where one comparison is all (pair.h) */
    int64_t points;   /* comparisons of a pair, 1: the offset alone */
    int64_t span_ns;  /* time over which they are spread */
};

struct synchroniser {
    bool learns_drift;
    /* Collective. The clock has an empty model. */
    int (*run)(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
               struct synchronisation *own, struct fault *fault);
};

/* How far the model may be off at a reading of the timer. */
int64_t synchronisation_bound(const struct synchronisation *own, int64_t timer_ns);

/* How much of that has come since the model was learnt: what synchronising again can cure. */
int64_t synchronisation_growth(const struct synchronisation *own, int64_t timer_ns);

/* The scheme that does nothing: trusts that all raw clocks are one, and only gives them one origin, that of rank 0. */
int sync_none(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
              struct synchronisation *own, struct fault *fault);

#endif
