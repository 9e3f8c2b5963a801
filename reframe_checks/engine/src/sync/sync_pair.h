/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync_pair.h: synchronises a client with a reference that has global time already: the step of which star and tree
 * consist; and its result, the synchronisation of one process.
 *
 * With one comparison the client determines its offset. With more, spread over a span, it also determines its drift
 * (S. Hunold, A. Carpen-Amarie: Hierarchical clock synchronization in MPI, CLUSTER 2018): the reference answers in
 * corrected time, so that models need not be merged afterwards. A slope of less than two standard errors is treated as
 * 0, and its size becomes part of the bound.
 *
 * The bound of a process at any time is
 *     bound + (max_drift + 4 slope_se) * age
 * where bound is hard, since no message arrives before it is sent, and slope_se is statistical. Rates are assumed to be
 * constant.
 */
#ifndef ISOCHRON_SYNC_PAIR_H
#define ISOCHRON_SYNC_PAIR_H

#include "clock/clock.h"
#include "estimate/estimator.h"
#include "machine/team.h"

/* The synchronisation of one process. */
struct synchronisation {
    struct clock_model model;
    int64_t bound_ns;    /* half width at model.x0, accumulated up to rank 0 */
    double offset_se_ns; /* standard errors, accumulated up to rank 0; 0 without drift */
    double slope_se;
    double max_drift; /* limit of the drift that is not in the model */
    int64_t exchanges;
};

struct sync_plan {
    const struct estimator *estimator;
    int64_t patience; /* of a single comparison (comparison.h) */
    int64_t points;   /* comparisons of a pair; 1: offset only */
    int64_t span_ns;  /* time over which they are spread */
};

/* Return the bound of the model at a reading of the timer. */
int64_t synchronisation_bound(const struct synchronisation *sync, int64_t timer_ns);

/* Return the part of the bound that has grown since x0: what a new synchronisation removes. */
int64_t synchronisation_growth(const struct synchronisation *sync, int64_t timer_ns);

/* Reference: serve ranks first to end - 1, point by point; sync is its own synchronisation. */
int sync_pair_as_reference(const struct team *team, const struct clock *clock, const struct sync_plan *plan, int first,
                           int end, const struct synchronisation *sync, struct fault *fault);

/* Client: fill sync. */
int sync_pair_as_client(const struct team *team, const struct clock *clock, const struct sync_plan *plan, int reference,
                        struct synchronisation *sync, struct fault *fault);

#endif
