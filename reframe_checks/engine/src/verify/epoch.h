/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * epoch.h: the time from one synchronisation of the clocks to the next: what was learnt, and how it held.
 */
#ifndef ISOCHRON_EPOCH_H
#define ISOCHRON_EPOCH_H

#include "sync/synchroniser.h"
#include "timer/synthetic_clock.h"
#include "verify/verification.h"

/* The clocks at one end of the epoch. The lists are on rank 0, one entry a rank. */
struct epoch_state {
    struct verification verification;
    int64_t *bound_ns; /* stated for that moment */
    int64_t *truth_ns; /* with test clocks: what a reading of rank 0's clock is ahead of the corrected time, really */
};

struct epoch {
    struct synchronisation own;
    bool by_node;                  /* one process a node was synchronised */
    int64_t begin_ns;              /* global time of the synchronisation's end */
    int64_t duration_ns;           /* of the synchronisation */
    struct synchronisation *ranks; /* on rank 0: of every rank */
    struct epoch_state before, after;
};

/* Collective: gathers what every rank knows of its clock. */
int epoch_gather(const struct team *team, struct epoch *epoch, struct fault *fault);

/* Collective: verifies the clocks as they are. spec is that of the test clocks, if there are any. */
int epoch_look(const struct team *team, const struct clock *clock, const struct synthetic_clock_spec *spec,
               const struct synchronisation *own, struct epoch_state *state, struct fault *fault);

/* The worst of both ends of so many epochs in a row. */
struct verification_worst epoch_worst(const struct epoch *epochs, size_t count);

void epoch_free(struct epoch *epoch);

#endif
