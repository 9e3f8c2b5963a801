/* SPDX-License-Identifier: BSD-3-Clause */
/* session_clock.h: the clocks of a launch. */
#ifndef ISOCHRON_SESSION_CLOCK_H
#define ISOCHRON_SESSION_CLOCK_H

#include "session/session.h"

/* Collective: opens and tries the timer. */
int session_open_clock(struct session *session, struct fault *fault);

/* Collective: begins a new epoch. */
int session_synchronise(struct session *session, struct fault *fault);

/* Collective: with test clocks, spoils and waits as they say. */
int session_spoil_clock(struct session *session, struct fault *fault);

/* Collective: looks at the clocks at the end of the epoch. */
int session_verify(struct session *session, struct fault *fault);

/*
 * Collective: synchronises again where the clocks may have run apart by too large a share of the slot that rank 0
 * names, unless that has been done too lately.
 */
int session_refresh(struct session *session, int64_t slot_ns, struct fault *fault);

#endif
