/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verification.h: re-measures the corrected clocks against that of rank 0, at both ends of an epoch: the time from one
 * synchronisation to the next.
 *
 * Independent of the synchroniser: each verified rank compares with rank 0 directly, by the envelope estimator, which
 * gives a hard bound. Up to 64 ranks all are verified; above, a sample that includes the last rank and the largest
 * power of two, the worst cases of ring and tree.
 */
#ifndef ISOCHRON_VERIFICATION_H
#define ISOCHRON_VERIFICATION_H

#include "clock/clock.h"
#include "machine/team.h"
#include "sync/sync_pair.h"
#include "timer/synthetic_clock.h"

enum { VERIFICATION_RANKS = 64 };

/* On rank 0, one entry per verified rank; rank 0 itself is the first and has no error. */
struct verification {
    int count;
    int64_t ranks[VERIFICATION_RANKS + 1];
    int64_t error_ns[VERIFICATION_RANKS + 1]; /* time of rank 0 minus corrected time of the rank */
    int64_t bound_ns[VERIFICATION_RANKS + 1];
};

/* The worst figures over ranks and verifications. */
struct verification_worst {
    int64_t error_ns;   /* the largest absolute error, */
    int64_t rank;       /* and its rank; 0: none */
    int64_t certain_ns; /* the largest absolute error that exceeds its own bound; 0: none */
    int64_t bound_ns;   /* the largest bound */
};

/* The clocks at one end of an epoch. The lists are on rank 0, one entry per rank. */
struct epoch_state {
    struct verification verification;
    int64_t *bound_ns; /* stated for that time */
    int64_t *truth_ns; /* with synthetic clocks: the true error, time of rank 0 minus corrected time */
};

struct epoch {
    struct synchronisation sync;
    bool by_node;                  /* one process per node was synchronised */
    int64_t begin_ns;              /* global time at the end of the synchronisation */
    int64_t duration_ns;           /* of the synchronisation */
    struct synchronisation *ranks; /* on rank 0: of every rank */
    struct epoch_state before, after;
};

/* Collective: gather the synchronisations of all ranks. */
int epoch_gather(const struct team *team, struct epoch *epoch, struct fault *fault);

/* Collective: verify the clocks in their present state; spec is that of the synthetic clocks, if any. */
int epoch_verify(const struct team *team, const struct clock *clock, const struct synthetic_clock_spec *spec,
                 const struct synchronisation *sync, struct epoch_state *state, struct fault *fault);

/* Return the worst figures over both ends of count epochs. */
struct verification_worst epoch_worst(const struct epoch *epochs, size_t count);

void epoch_free(struct epoch *epoch);

#endif
