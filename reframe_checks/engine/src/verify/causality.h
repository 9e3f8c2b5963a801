/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * causality.h: whether a message was received before its global send time, which only a wrong clock can show.
 *
 * Independent of synchroniser and verification, and between all processes: each exchanges its global time with partners
 * at distances 1, 2, 4 ... A clock that is off by more than the way of a message is found. The rank is named whose
 * clock is off most by the median of its partners; rank 0 has the global time by definition, so among equals it is
 * another.
 *
 * What rank 0 announces carries the time at which it was sent, too. That costs no message, but shows one direction
 * only: a clock that is behind rank 0's. Where most processes are behind rank 0, it is rank 0 that is ahead.
 */
#ifndef ISOCHRON_CAUSALITY_H
#define ISOCHRON_CAUSALITY_H

#include "clock/clock.h"
#include "machine/team.h"

struct causality {
    int64_t violations; /* ways from one process to another on which a message was early */
    int64_t worst_ns;   /* longest time by which one was early */
    int64_t error_ns;   /* how far the named rank is off, about */
    int64_t rank;       /* the named one; -1: there are no violations */
};

enum { CAUSALITY_PARTNERS = 2 * 31 };

/* What this process has heard so far. */
struct causality_heard {
    int64_t announcements; /* of rank 0 that arrived before they were sent */
    int64_t announced_ns;  /* how early at most */
    int64_t passes;        /* exchanges with all partners */
    int64_t
        early_ns[CAUSALITY_PARTNERS]; /* how early the message of each partner was at most; not above 0: it never was */
};

/* An announcement that arrived so early; not above 0: it did not. */
void causality_hear(int64_t early_ns, struct causality_heard *heard);

/* Collective: one exchange with all partners. It is not judged yet: that takes more messages. */
int causality_listen(const struct team *team, const struct clock *clock, struct causality_heard *heard,
                     struct fault *fault);

/* Collective: a few exchanges more, and what all processes have heard; all have the result. */
int causality_check(const struct team *team, const struct clock *clock, struct causality_heard *heard,
                    struct causality *causality, struct fault *fault);

#endif
