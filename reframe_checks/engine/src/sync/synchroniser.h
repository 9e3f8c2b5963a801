/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * synchroniser.h: relates the clocks of all processes to that of rank 0.
 *
 * A synchroniser is a function, which decides who is whose reference, and a line of the table, which states whether
 * drift is determined with the offset.
 */
#ifndef ISOCHRON_SYNCHRONISER_H
#define ISOCHRON_SYNCHRONISER_H

#include "option_values/choices.h"
#include "sync/sync_pair.h"

struct synchroniser {
    bool models_drift;
    /* Collective. The clock has an empty model. */
    int (*synchronise)(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
                       struct synchronisation *sync, struct fault *fault);
};

const struct synchroniser *synchroniser_of(enum sync_choice choice);

/* --clock-sync none: assumes that all timers are one, and gives them the origin of rank 0. */
int sync_none(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
              struct synchronisation *sync, struct fault *fault);

#endif
