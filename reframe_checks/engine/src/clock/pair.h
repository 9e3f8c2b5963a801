/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pair.h: compares the clocks of two processes by messages.
 *
 * The client begins when the reference has time for it: waiting for its turn is no part of the comparison. Exchanges
 * go on until the estimate has not improved for some of them. The bound allows for the step of the readings and for
 * what the clocks may run apart meanwhile.
 */
#ifndef ISOCHRON_PAIR_H
#define ISOCHRON_PAIR_H

#include "clock/clock.h"
#include "estimate/estimator.h"
#include "machine/team.h"

/* When to stop: one comparison that has to be good, or one of many. */
enum pair_effort { PAIR_THOROUGH, PAIR_BRIEF };

/* What the client learns about the clock of reference. */
int pair_ask(const struct team *team, const struct clock *clock, const struct estimator *estimator,
             enum pair_effort effort, int reference, struct estimate *estimate, struct fault *fault);

/* The other side of pair_ask. */
int pair_answer(const struct team *team, const struct clock *clock, int client, struct fault *fault);

#endif
