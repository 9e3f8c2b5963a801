/* SPDX-License-Identifier: BSD-3-Clause */
/* check_timers.h: --check-timer: a verdict on each timer on each host, before a campaign. */
#ifndef ISOCHRON_CHECK_TIMERS_H
#define ISOCHRON_CHECK_TIMERS_H

#include "options/options.h"
#include "session/session.h"

/*
 * Collective: test every timer on every host; rank 0 prints a table. An environment fault if the timer of the options
 * is unusable on a host.
 */
int check_timers(struct session *session, const struct options *options, struct fault *fault);

#endif
