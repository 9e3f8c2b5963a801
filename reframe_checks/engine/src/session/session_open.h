/* SPDX-License-Identifier: BSD-3-Clause */
/* session_open.h: the steps from a started launch to one that can measure. */
#ifndef ISOCHRON_SESSION_OPEN_H
#define ISOCHRON_SESSION_OPEN_H

#include "session/session.h"

/* Collective: finds the hosts; an environment fault unless processes and hosts are as demanded. */
int session_locate(struct session *session, struct fault *fault);

/* Collective: the conditions of the measurement: order and arrivals of the ranks, size of the cache. */
int session_arrange(struct session *session, struct fault *fault);

/* Collective: timer, synchronised and verified clocks, calibration. */
int session_prepare(struct session *session, struct fault *fault);

#endif
