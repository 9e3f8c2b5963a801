/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.h: what the parts of one measurement share: its state on this process, and a batch of runs. */
#ifndef ISOCHRON_MEASURE_H
#define ISOCHRON_MEASURE_H

#include "call/buffers.h"
#include "measure/measurement.h"
#include "rules/patience.h"
#include "rules/slot.h"

/* When the clocks were looked at, on rank 0, and what this process has heard since. */
struct clock_looks {
    bool due;         /* after the next batch */
    int64_t ended_ns; /* the last one */
    int64_t took_ns;  /* without an interruption */
    int64_t least_ns; /* the shortest one took */
    struct causality_heard heard;
};

/* One pass over a row. */
struct measure_pass {
    int64_t number; /* from 0 */
    bool last;      /* the row is measured until it has enough */
};

/*
 * Zero before the first pass over a row. Slot, lead, patience, trace, time and findings are kept from pass to pass, all
 * else is of one pass.
 */
struct measure {
    const struct session *session;
    struct measure_pass pass;
    bool done;          /* the row has enough: this pass was its last */
    int64_t elapsed_ns; /* on rank 0: the counted runs of the passes before took so long */
    struct call call;
    struct buffers buffers;
    struct batch batch;
    struct trace trace; /* of the counted runs */
    struct slot_rule slot_rule;
    int64_t operations; /* in a run, where the scheme does not loop */
    int64_t slot_ns;    /* these two matter on rank 0 */
    int64_t lead_ns;
    struct batch_plan plan; /* the last one */
    struct clock_looks looks;
    int64_t weather_due;      /* on rank 0: what is read of the weather after the next batch */
    struct patience patience; /* on rank 0 */
    bool known;               /* runs work on known data, and what they make of them is verified */
    struct check check;
};

/* Frees what is kept from pass to pass. */
void measure_close(struct measure *m);

/*
 * Collective: announces and performs one batch; without runs it only tells that there are none. Schemes that loop make
 * one run of them.
 */
int measure_batch(struct measure *m, const struct operation *operation, int64_t runs, int64_t slot_ns,
                  struct fault *fault);

/* The same, all processes together at its begin; with --check on known data, whose arrival is verified after it. */
int measure_known_batch(struct measure *m, const struct operation *operation, int64_t runs, int64_t slot_ns,
                        struct fault *fault);

/* Goes over to a set of buffers. */
int measure_use(struct measure *m, size_t set, struct fault *fault);

/*
 * Collective: everything before the counted runs of a pass: in the first one first and second call, then runs that make
 * warm, and with cold buffers first uses.
 */
int measure_warm_up(struct measure *m, const struct operation *operation, struct measurement *result,
                    struct fault *fault);

/* What the last batch came to. */
struct slot_outcome measure_outcome(const struct measure *m);

#endif
