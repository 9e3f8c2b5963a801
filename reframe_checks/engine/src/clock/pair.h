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

/* When to stop: after so many exchanges without an improvement, or so many in any case. */
struct pair_effort {
    int64_t patience, limit;
};

enum { PAIR_PATIENCE = 100 }; /* of a comparison that has to be good; MPIPerf calls it d */

/* One comparison that has to be good, and one of many. */
struct pair_effort pair_thorough(int64_t patience);
struct pair_effort pair_brief(void);

/* What the client learns about the clock of reference. */
int pair_ask(const struct team *team, const struct clock *clock, const struct estimator *estimator,
             struct pair_effort effort, int reference, struct estimate *estimate, struct fault *fault);

/* The other side of pair_ask. */
int pair_answer(const struct team *team, const struct clock *clock, int client, struct fault *fault);

#endif
