/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rounds.h: the measurements of a launch that takes turns with others (turns/resident.h).
 *
 * In each round this launch waits for its turn, measures the overhead and --turn-passes passes over all cases in a
 * row, and hands over when all its processes have ended. So it measures as a launch does that is alone; the others are
 * asleep. What a later pass of a turn takes less than the first is what the others have left behind. The epilogue turn
 * begins here and lasts until the process ends; in it, with --solo-passes, the resident that ends last measures further
 * passes, the others having ended.
 */
#ifndef ISOCHRON_ROUNDS_H
#define ISOCHRON_ROUNDS_H

#include "launch/measurement_list.h"
#include "launch/overhead.h"
#include "turns/turn_log.h"

struct rounds {
    struct turn_log log;
    struct measurement_list solo; /* passes after the others have ended, recorded apart; empty if there are none */
    struct turn_log solo_log;
    uint32_t company; /* residents that had not ended when these began, a bit for each */
};

/* Collective, in the prologue turn: measure all cases. rounds is to be freed in any case. */
int rounds_measure(struct session *session, struct measurement_list *list, struct overhead *overhead,
                   struct rounds *rounds, struct fault *fault);

void rounds_free(struct rounds *rounds);

#endif
