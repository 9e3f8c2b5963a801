/* SPDX-License-Identifier: BSD-3-Clause */
/* record_first_call.h: the part of a measurement's record about the first call of its launch. */
#ifndef ISOCHRON_RECORD_FIRST_CALL_H
#define ISOCHRON_RECORD_FIRST_CALL_H

#include "base/json.h"
#include "session/session.h"

/* "late_initialisation"; null where the launch did not time its first call. */
void record_first_call(const struct session *session, struct json *json);

#endif
