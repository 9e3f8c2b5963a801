/* SPDX-License-Identifier: BSD-3-Clause */
/* record_trace.h: the members of a measurement record that concern single processes. */
#ifndef ISOCHRON_RECORD_TRACE_H
#define ISOCHRON_RECORD_TRACE_H

#include "base/json.h"
#include "batch/trace.h"
#include "session/session.h"

/* Write the ranks that invalidated most repetitions, at most 16, in descending order. */
void record_invalid_by_rank(const struct trace_report *trace, struct json *json);

/* Write the stragglers, and the times of all ranks if they were recorded. */
void record_trace(const struct session *session, const struct trace_report *trace, struct json *json);

#endif
