/* SPDX-License-Identifier: BSD-3-Clause */
/* session_open.h: the steps from a started launch to one that can measure. */
#ifndef ISOCHRON_SESSION_OPEN_H
#define ISOCHRON_SESSION_OPEN_H

#include "session/session.h"

/* Collective: gather the hosts; an environment fault if the numbers of processes and hosts are not as required. */
int session_locate(struct session *session, struct fault *fault);

/* Collective: set the order and arrivals of the ranks, and the size of the cache. */
int session_arrange(struct session *session, struct fault *fault);

/* Collective: open, synchronise, verify and calibrate the clocks, and open the probes. */
int session_prepare(struct session *session, struct fault *fault);

#endif
