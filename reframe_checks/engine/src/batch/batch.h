/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * batch.h: one batch of repetitions on all processes: announce the schedule, start, call and stop by a scheme, and
 * combine what the processes have observed.
 *
 * A scheme is a function and a line of the table in batch.c; docs/reference/engine.md compares the schemes.
 */
#ifndef ISOCHRON_BATCH_H
#define ISOCHRON_BATCH_H

#include "call/buffers.h"
#include "call/call.h"
#include "clock/clock.h"
#include "machine/team.h"
#include "operation/operation.h"
#include "option_values/choices.h"

#include <stdbool.h>
#include <stdint.h>

/* The schedule of a batch, made by rank 0; global time. */
struct batch_plan {
    int64_t reps;
    int64_t start_ns;
    int64_t slot_ns;     /* 0: repetitions follow each other without slots */
    int64_t operations;  /* in one repetition, back to back */
    int64_t clock_check; /* 1: the clocks are checked after the batch */
    int64_t probes;      /* the parts that are read after the batch (enum probe_part); 0: none */
    int64_t done;        /* 1: no repetitions, and the measurement is complete */
    int64_t early_ns;    /* above 0: the time by which the plan arrived before its send time */
};

/* One repetition as observed by this process; global time. */
struct rep {
    int64_t start_ns;
    int64_t end_ns;
    int64_t slot;
    bool late;    /* started after its slot began */
    bool overrun; /* ended after its slot ended */
};

/* One repetition as observed by all processes together. */
struct rep_summary {
    int64_t time_ns;    /* last end minus first start, per operation */
    int64_t local_ns;   /* longest duration on one process, per operation */
    int64_t skew_ns;    /* last start minus first start */
    int64_t start_ns;   /* first start */
    int64_t end_ns;     /* last end */
    bool late;          /* a process started late, or in a later slot than another */
    bool overrun;       /* a process ended after its slot */
    bool local_late;    /* this process was late, though the previous repetition was valid */
    bool local_overrun; /* no process was late, and this one ended after its slot */
};

/* The working environment of a scheme. */
struct batch_context {
    const struct team *team;
    const struct clock *clock;
    const struct operation *operation;
    struct call *call;
    struct buffers *buffers; /* advanced before each execution; NULL: no buffers */
    int64_t tolerance_ns;    /* a start is late if it is later than this */
    int64_t arrival_ns;      /* offset of this process from the start of the slot */
    int64_t lead_ns;         /* on rank 0: time to announce a start */
    int64_t *ends_ns;        /* of a loop: the end of each of its operations; NULL: not recorded */
};

struct scheme {
    bool slots;   /* repetitions have slots, which they can overrun */
    bool loops;   /* a batch is one repetition of many operations */
    bool rotates; /* the root changes from operation to operation */
    /* Perform plan->reps repetitions and fill reps. */
    int (*batch)(const struct batch_context *context, const struct batch_plan *plan, struct rep *reps,
                 struct fault *fault);
};

/* Memory for the repetitions of a batch. */
struct batch {
    int64_t capacity;
    struct rep *reps;
    int64_t *extremes;
    struct rep_summary *summaries;
    int64_t *ends_ns; /* of the operations of the last loop */
};

const struct scheme *scheme_of(enum scheme_choice choice);

int batch_open(struct batch *batch, int64_t capacity, struct fault *fault);
void batch_close(struct batch *batch);

/* Return true if the repetition is valid: neither late nor an overrun. */
static inline bool batch_is_valid(const struct rep_summary *summary)
{
    return !summary->late && !summary->overrun;
}

/* Return true if the repetition is an overrun without late start: a long one, as meaningful as a short one. */
static inline bool batch_is_long(const struct rep_summary *summary)
{
    return !summary->late && summary->overrun;
}

/*
 * Collective: rank 0 announces the plan, to start lead_ns from now; all receive it. It carries its send time, which
 * reveals a clock that is behind that of rank 0 (verify/causality.h).
 */
int batch_announce(const struct team *team, const struct clock *clock, int64_t lead_ns, struct batch_plan *plan,
                   struct fault *fault);

/* Collective: perform the plan; then all processes have the summaries. */
int batch_perform(struct batch *batch, const struct team *team, const struct scheme *scheme,
                  const struct batch_context *context, const struct batch_plan *plan, struct fault *fault);

#endif
