/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pair.h: compares the clocks of two processes by messages.
 *
 * Exchanges go on until the estimate has not improved for 100 of them, at most 1000. The bound allows for the step of
 * the readings.
 */
#ifndef ISOCHRON_PAIR_H
#define ISOCHRON_PAIR_H

#include "clock.h"
#include "estimator.h"
#include "team.h"

/* What the client learns about the clock of reference. */
int pair_ask(const struct team *team, const struct clock *clock, const struct estimator *estimator, int reference,
             struct estimate *estimate, struct fault *fault);

/* The other side of pair_ask. */
int pair_answer(const struct team *team, const struct clock *clock, int client, struct fault *fault);

#endif
