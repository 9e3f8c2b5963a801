/* SPDX-License-Identifier: BSD-3-Clause */
/* record_trace.h: what a measurement record says of single processes. */
#ifndef ISOCHRON_RECORD_TRACE_H
#define ISOCHRON_RECORD_TRACE_H

#include "base/json.h"
#include "batch/trace.h"
#include "session/session.h"

/* Members of a measurement record: the ranks that spoiled most runs, the worst first; */
void record_blame(const struct trace_report *trace, struct json *json);

/* stragglers, and the times of all ranks where they were kept. */
void record_trace(const struct session *session, const struct trace_report *trace, struct json *json);

#endif
