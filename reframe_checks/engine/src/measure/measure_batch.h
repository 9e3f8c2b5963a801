/* SPDX-License-Identifier: BSD-3-Clause */
/* measure_batch.h: the state of one measurement on this process, and one batch of it. */
#ifndef ISOCHRON_MEASURE_BATCH_H
#define ISOCHRON_MEASURE_BATCH_H

#include "call/buffers.h"
#include "measure/measurement.h"
#include "rules/slot.h"
#include "rules/stop.h"

/* The clock checks of a pass (clock_check.h): when, on rank 0, and what this process has received. */
struct clock_checks {
    bool due;         /* after the next batch */
    int64_t ended_ns; /* end of the last one */
    int64_t took_ns;  /* its duration, without an interruption */
    int64_t min_ns;   /* the shortest duration */
    struct causality_received received;
};

/* One pass over a measurement. */
struct measure_pass {
    int64_t number; /* from 0 */
    bool last;      /* measure until the stop rule is satisfied */
};

/*
 * Zero before the first pass. Slot, lead, patience, trace, elapsed time and check are retained from pass to pass; all
 * other members are of one pass.
 */
struct measure {
    const struct session *session;
    struct measure_pass pass;
    bool done;          /* this pass was the last */
    int64_t elapsed_ns; /* on rank 0: duration of the counted repetitions of the previous passes */
    struct call call;
    struct buffers buffers;
    struct batch batch;
    struct trace trace; /* of the counted repetitions */
    struct slot_rule slot_rule;
    size_t valid_before; /* on rank 0: valid repetitions of the previous passes */
    int64_t operations;  /* in a repetition, unless the scheme loops */
    int64_t slot_ns;     /* slot and lead are used on rank 0 */
    int64_t lead_ns;
    struct batch_plan plan; /* of the last batch */
    struct clock_checks clock_checks;
    int64_t probes_due;       /* on rank 0: the parts to read after the next batch */
    struct patience patience; /* on rank 0 */
    bool checks;              /* batches work on known data, which are verified after them */
    struct check check;
};

/* Free what is retained from pass to pass. */
void measure_close(struct measure *m);

/* Use a set of buffers from now on. */
int measure_use_buffers(struct measure *m, size_t set, struct fault *fault);

/*
 * Collective: announce and perform one batch of reps repetitions; 0 only announces that there are none. Schemes that
 * loop make one repetition of them.
 */
int measure_batch(struct measure *m, const struct operation *operation, int64_t reps, int64_t slot_ns,
                  struct fault *fault);

/* The same, after all processes have met, and with --check on known data, which are verified afterwards. */
int measure_checked_batch(struct measure *m, const struct operation *operation, int64_t reps, int64_t slot_ns,
                          struct fault *fault);

/* In turns: return true if what began then has taken --turn-time, or a fifth of the limit of a turn. */
bool measure_is_long(const struct measure *m, int64_t begin_ns);

/* Return the outcome of the last batch. */
struct slot_outcome measure_outcome(const struct measure *m);

#endif
