/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * batch.h: one batch on all processes: announce the schedule, run, and combine what each process has seen.
 */
#ifndef ISOCHRON_BATCH_H
#define ISOCHRON_BATCH_H

#include "machine/team.h"
#include "scheme/scheme.h"

/* One run as all processes together have seen it. */
struct run_summary {
    int64_t time_ns;  /* last end minus first start, for each operation of the run */
    int64_t local_ns; /* longest local duration, for each operation of the run */
    int64_t skew_ns;  /* last start minus first start */
    int64_t start_ns; /* first start */
    int64_t end_ns;   /* last end */
    bool late;        /* a process started late or in a later slot than another */
    bool overrun;     /* a process ended after its slot */
    bool own_late;    /* this process is one that was late, though nothing was wrong with the run before, */
    bool own_overrun; /* or nobody was late, and this process ended after its slot */
};

/* Room for the runs of a batch. */
struct batch {
    int64_t capacity;
    struct run *runs;
    int64_t *extremes;
    struct run_summary *summaries;
    int64_t *ends_ns; /* of the operations of the last loop */
};

int batch_open(struct batch *batch, int64_t capacity, struct fault *fault);
void batch_close(struct batch *batch);

/* A run is valid when nobody was late and nobody too slow. */
static inline bool batch_is_valid(const struct run_summary *summary)
{
    return !summary->late && !summary->overrun;
}

/* What started in time and ended after its slot is a long run, and says as much as a short one. */
static inline bool batch_is_long(const struct run_summary *summary)
{
    return !summary->late && summary->overrun;
}

/*
 * Collective: rank 0 announces the runs and the slot of plan, to start lead_ns from now; all receive the plan. It
 * carries the time at which it was sent, so that a clock that is behind rank 0's shows (see verify/causality.h).
 */
int batch_announce(const struct team *team, const struct clock *clock, int64_t lead_ns, struct batch_plan *plan,
                   struct fault *fault);

/* Collective: performs the plan; all processes have the summaries then. */
int batch_run(struct batch *batch, const struct team *team, const struct scheme *scheme,
              const struct scheme_context *context, const struct batch_plan *plan, struct fault *fault);

#endif
