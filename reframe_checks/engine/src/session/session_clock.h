/* SPDX-License-Identifier: BSD-3-Clause */
/* session_clock.h: the clocks of a launch: opened, synchronised, verified, calibrated, and synchronised again. */
#ifndef ISOCHRON_SESSION_CLOCK_H
#define ISOCHRON_SESSION_CLOCK_H

#include "session/session.h"

/* Collective: open the timer and test its quality; an environment fault if it is unusable. */
int session_open_clock(struct session *session, struct fault *fault);

/* Collective: synchronise the clocks and begin an epoch. */
int session_synchronise(struct session *session, struct fault *fault);

/* Collective: measure the lead of an announcement; the clocks are synchronised. */
int session_calibrate(struct session *session, struct fault *fault);

/* Collective: with synthetic clocks, make one false and wait as specified. */
int session_falsify_clock(struct session *session, struct fault *fault);

/* Collective: verify the clocks at the end of the epoch. */
int session_verify(struct session *session, struct fault *fault);

/*
 * Collective: synchronise again if the clocks may have drifted apart by too large a share of slot_ns, which is that of
 * rank 0, unless this would take too large a share of the time.
 */
int session_refresh(struct session *session, int64_t slot_ns, struct fault *fault);

#endif
