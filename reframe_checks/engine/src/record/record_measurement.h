/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record_measurement.h: the records of one operation at one size, and of the empty operation
 * (docs/reference/engine.md). Rank 0 writes them.
 */
#ifndef ISOCHRON_RECORD_MEASUREMENT_H
#define ISOCHRON_RECORD_MEASUREMENT_H

#include "base/json.h"
#include "measure/measurement.h"
#include "session/session.h"

/* Write a record of that name. */
void record_measurement(const struct session *session, const char *name, const struct measurement *measurement,
                        struct json *json);

/* Write the time that the engine adds (launch/overhead.h). */
void record_overhead(const struct session *session, const struct measurement *empty, struct json *json);

#endif
