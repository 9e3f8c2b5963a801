/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_timers.h: a verdict for each timer on each host before a campaign. */
#ifndef ISOCHRON_LAUNCH_TIMERS_H
#define ISOCHRON_LAUNCH_TIMERS_H

#include "options/options.h"
#include "session/session.h"

/*
 * Collective: tries every timer on every host; rank 0 prints a table. An environment fault where the timer that was
 * asked for is not reliable on some host.
 */
int launch_check_timers(struct session *session, const struct options *options, struct fault *fault);

#endif
