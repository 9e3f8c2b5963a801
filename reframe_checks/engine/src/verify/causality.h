/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * causality.h: finds messages that were received before their global send time, which only a false clock can cause.
 *
 * Independent of the synchroniser and of its verification, and between all processes: each exchanges its global time
 * with partners at distances 1, 2, 4 ..., which reveals a clock whose error exceeds the latency of a message. The rank
 * named is the one with the largest error, by the median over its partners; rank 0 defines global time, so among equals
 * another rank is named.
 *
 * Announcements of rank 0 carry their send time, too. They cost no message but show only a clock behind that of rank 0.
 * If most processes are behind rank 0, it is rank 0 whose clock is ahead.
 */
#ifndef ISOCHRON_CAUSALITY_H
#define ISOCHRON_CAUSALITY_H

#include "clock/clock.h"
#include "machine/team.h"

struct causality {
    int64_t violations; /* directions between two processes in which a message arrived early, and announcements */
    int64_t worst_ns;   /* the largest time by which one was early */
    int64_t error_ns;   /* the approximate error of the named rank */
    int64_t rank;       /* the named rank; -1: there are no violations */
};

enum { CAUSALITY_PARTNERS = 2 * 31 };

/* What this process has received. */
struct causality_received {
    int64_t announcements;                /* of rank 0 that arrived before they were sent */
    int64_t announced_ns;                 /* the largest time by which one was early */
    int64_t passes;                       /* exchanges with all partners */
    int64_t early_ns[CAUSALITY_PARTNERS]; /* the same for the messages of each partner; not above 0: never early */
};

/* Record an announcement that was early by early_ns; not above 0: it was not early. */
void causality_note(int64_t early_ns, struct causality_received *received);

/* Collective: exchange times with all partners once, without a conclusion, which would need more messages. */
int causality_exchange_all(const struct team *team, const struct clock *clock, struct causality_received *received,
                           struct fault *fault);

/* Collective: exchange times a few times more and combine what all processes have received; all have the result. */
int causality_check(const struct team *team, const struct clock *clock, struct causality_received *received,
                    struct causality *causality, struct fault *fault);

#endif
