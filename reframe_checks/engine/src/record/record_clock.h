/* SPDX-License-Identifier: BSD-3-Clause */
/* record_clock.h: the record of the clocks at one end of an epoch. Rank 0 writes it. */
#ifndef ISOCHRON_RECORD_CLOCK_H
#define ISOCHRON_RECORD_CLOCK_H

#include "base/json.h"
#include "session/session.h"

/* The record of phase "before" or "after" of an epoch. */
void record_clock(const struct session *session, size_t epoch, bool after, struct json *json);

#endif
