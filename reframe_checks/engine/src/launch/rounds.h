/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rounds.h: the measurements of a launch that takes turns with others (turns/resident.h).
 *
 * In each round, in each slice, this launch waits for its turn, measures one pass over one case, and hands over when
 * all its processes have ended. The overhead is measured in the first slice of each round. The epilogue turn begins
 * here and lasts until the process ends; in it the resident that ends last can measure further passes alone.
 */
#ifndef ISOCHRON_ROUNDS_H
#define ISOCHRON_ROUNDS_H

#include "launch/measurement_list.h"
#include "launch/overhead.h"
#include "turns/turn_log.h"

struct rounds {
    struct turn_log log;
    struct turn_log solo_log;     /* of the passes alone */
    struct measurement_list solo; /* their measurements */
    uint32_t company;             /* residents that had not ended when these began, a bit for each */
};

/* Collective, in the prologue turn: measure all cases. rounds is to be freed in any case. */
int rounds_measure(struct session *session, struct measurement_list *list, struct overhead *overhead,
                   struct rounds *rounds, struct fault *fault);

void rounds_free(struct rounds *rounds);

#endif
