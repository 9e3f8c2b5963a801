/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rounds.h: the measurements of a launch that takes turns with others (turns/resident.h).
 *
 * In each round, in each slice, this launch waits for its turn, measures one pass over one case, and hands over when
 * all its processes have ended. The overhead is measured in the first slice of each round. With --solo-passes it keeps
 * the last turn of some rounds for a further pass over all cases, the others asleep. The epilogue turn begins here and
 * lasts until the process ends; in it the resident that ends last can measure further passes, the others having ended.
 */
#ifndef ISOCHRON_ROUNDS_H
#define ISOCHRON_ROUNDS_H

#include "launch/measurement_list.h"
#include "launch/overhead.h"
#include "turns/turn_log.h"

/* Passes without turns of others in between, recorded apart; none if the list is empty. */
struct rounds_apart {
    struct turn_log log;
    struct measurement_list list;
};

struct rounds {
    struct turn_log log;
    struct rounds_apart consecutive; /* the others asleep */
    struct rounds_apart solo;        /* the others ended */
    uint32_t company;                /* residents that had not ended when these began, a bit for each */
};

/* Collective, in the prologue turn: measure all cases. rounds is to be freed in any case. */
int rounds_measure(struct session *session, struct measurement_list *list, struct overhead *overhead,
                   struct rounds *rounds, struct fault *fault);

void rounds_free(struct rounds *rounds);

#endif
