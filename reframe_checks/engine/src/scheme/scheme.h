/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheme.h: how the runs of a batch are started. One file and one table line (scheme_table.c) a scheme.
 */
#ifndef ISOCHRON_SCHEME_H
#define ISOCHRON_SCHEME_H

#include "call/buffers.h"
#include "call/call.h"
#include "clock/clock.h"
#include "machine/team.h"
#include "operation/operation.h"

#include <stdbool.h>
#include <stdint.h>

/* The schedule of a batch, made by rank 0; global time. */
struct batch_plan {
    int64_t runs;
    int64_t start_ns;
    int64_t slot_ns;    /* 0: runs follow each other without slots */
    int64_t operations; /* in one run, back to back */
    int64_t look;       /* 1: the clocks are looked at after the batch */
    int64_t weather;    /* what is read of the machine after the batch (weather/weather.h); 0: nothing */
    int64_t done;       /* 1: no runs, and nothing more is measured of the row */
    int64_t early_ns;   /* above 0: the plan arrived so long before rank 0 sent it, by the clock of this process */
};

/* One run as this process has seen it; global time. */
struct run {
    int64_t start_ns;
    int64_t end_ns;
    int64_t slot;
    bool late;    /* started after its slot began */
    bool overrun; /* ended after its slot ended */
};

/* What a scheme works with. */
struct scheme_context {
    const struct team *team;
    const struct clock *clock;
    const struct operation *operation;
    struct call *call;
    struct buffers *buffers; /* buffers_next is due before each run; NULL: no buffers */
    int64_t tolerance_ns;    /* a start is late when it is later than this */
    int64_t arrival_ns;      /* this process comes so long after the start of the slot */
    int64_t lead_ns;         /* on rank 0: time to announce a start */
    int64_t *ends_ns;        /* of a loop: the end of each of its operations; NULL: not kept */
};

struct scheme {
    bool slots;   /* its runs have slots, and may overrun them */
    bool loops;   /* a batch is one run of many operations */
    bool rotates; /* the root changes from operation to operation */
    /* Performs plan->runs runs and fills runs. */
    int (*batch)(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                 struct fault *fault);
};

/* What the operation needs before each call, untimed but in loops; returns the MPI result. */
int scheme_ready(const struct scheme_context *context);

/* So many operations back to back, the first of which is ready; returns the MPI result. */
int scheme_operations(const struct scheme_context *context, int64_t operations);

/* One run of so many operations, to be started at planned_ns by a process that is on time. */
int scheme_run(const struct scheme_context *context, int64_t planned_ns, int64_t operations, struct run *run,
               struct fault *fault);

#endif
