/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verification.h: measures again how far the corrected clocks are from that of rank 0.
 *
 * Independent of the synchroniser's way: each verified rank compares with rank 0 directly, by the envelope, which gives
 * a hard bound. Up to 64 ranks all are verified; above, a sample that always has the last rank and the largest power
 * of two, the two that a tree or a ring serves worst.
 */
#ifndef ISOCHRON_VERIFICATION_H
#define ISOCHRON_VERIFICATION_H

#include "clock/clock.h"
#include "machine/team.h"

enum { VERIFICATION_RANKS = 64 };

/* On rank 0, one entry a verified rank; rank 0 itself is the first and has no error. */
struct verification {
    int count;
    int64_t ranks[VERIFICATION_RANKS + 1];
    int64_t error_ns[VERIFICATION_RANKS + 1]; /* time of rank 0 minus corrected time of the rank */
    int64_t bound_ns[VERIFICATION_RANKS + 1];
};

/* Collective. */
int verification_run(const struct team *team, const struct clock *clock, struct verification *verification,
                     struct fault *fault);

/* What is wrong or unknown at worst, over ranks. */
struct verification_worst {
    int64_t error_ns;   /* the largest error, without sign */
    int64_t rank;       /* that has it; 0: none */
    int64_t certain_ns; /* the largest error that is above its own bound, so that it is certain; 0: none */
    int64_t bound_ns;   /* the largest bound */
};

/* Raises *worst to what this verification has found. */
void verification_add_worst(const struct verification *verification, struct verification_worst *worst);

#endif
