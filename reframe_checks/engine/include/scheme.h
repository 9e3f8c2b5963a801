/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheme.h: how the runs of a batch are started. One file and one table line a scheme.
 */
#ifndef ISOCHRON_SCHEME_H
#define ISOCHRON_SCHEME_H

#include "buffers.h"
#include "clock.h"
#include "operation.h"

#include <stdbool.h>
#include <stdint.h>

/* The schedule of a batch, made by rank 0; global time. */
struct batch_plan {
    int64_t runs;
    int64_t start_ns;
    int64_t slot_ns; /* 0: runs follow each other without slots */
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
    const struct clock *clock;
    const struct operation *operation;
    struct call *call;
    struct buffers *buffers; /* buffers_next is due before each run; NULL: no buffers */
    int64_t tolerance_ns;    /* a start is late when it is later than this */
    int64_t arrival_ns;      /* this process comes so long after the start of the slot */
};

struct scheme {
    const char *name;
    /* Performs plan->runs runs and fills runs; returns the first MPI result that is no success. */
    int (*batch)(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs);
};

const struct scheme *scheme_find(const char *name);

/* The names that scheme_find knows, "a, b, c". */
void scheme_names(char *names, size_t capacity);

int scheme_window_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs);

#endif
