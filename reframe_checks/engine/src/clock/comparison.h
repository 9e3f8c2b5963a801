/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * comparison.h: compares the clocks of two processes, a client and a reference, by messages.
 *
 * The client begins when the reference is ready: waiting for that is not part of the comparison. Exchanges continue
 * until the estimate has not improved for a number of them. The bound includes the resolution of the timer and the
 * largest drift during the comparison.
 */
#ifndef ISOCHRON_COMPARISON_H
#define ISOCHRON_COMPARISON_H

#include "clock/clock.h"
#include "estimate/estimator.h"
#include "machine/team.h"

/* Limits: exchanges without an improvement, and exchanges in total. */
struct comparison_effort {
    int64_t patience, limit;
};

enum { COMPARISON_PATIENCE = 100 }; /* of a thorough comparison; d in MPIPerf */

/* Return the effort of a single comparison, and of one among many. */
struct comparison_effort comparison_thorough(int64_t patience);
struct comparison_effort comparison_brief(void);

/* Client: estimate the offset to the clock of the reference. */
int comparison_as_client(const struct team *team, const struct clock *clock, const struct estimator *estimator,
                         struct comparison_effort effort, int reference, struct estimate *estimate,
                         struct fault *fault);

/* Reference: answer the client. */
int comparison_as_reference(const struct team *team, const struct clock *clock, int client, struct fault *fault);

#endif
