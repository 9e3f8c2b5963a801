/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * causality.h: whether a message was received before its global send time, which only a wrong clock can show.
 *
 * Independent of synchroniser and verification, and between all processes: each exchanges its global time with partners
 * at distances 1, 2, 4 ... A clock that is off by more than the way of a message is found. The rank is named whose
 * clock is off most by the median of its partners; rank 0 has the global time by definition, so among equals it is
 * another.
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

/* Collective; all processes have the result. */
int causality_check(const struct team *team, const struct clock *clock, struct causality *causality,
                    struct fault *fault);

#endif
