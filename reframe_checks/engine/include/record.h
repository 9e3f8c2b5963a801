/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record.h: the records of the output file, schema 1 (docs/reference/engine.md). Rank 0 writes them.
 */
#ifndef ISOCHRON_RECORD_H
#define ISOCHRON_RECORD_H

#include "json.h"
#include "measurement.h"
#include "session.h"

void record_header(const struct session *session, int argc, char **argv, struct json *json);

/* The record of phase "before" or "after" of an epoch. */
void record_clock(const struct session *session, size_t epoch, bool after, struct json *json);

void record_measurement(const struct session *session, const struct measurement *measurement, struct json *json);

/* Members of that record: the ranks that spoiled most runs, the worst first; */
void record_blame(const struct trace_report *trace, struct json *json);

/* stragglers, and the times of all ranks where they were kept. */
void record_trace(const struct session *session, const struct trace_report *trace, struct json *json);

#endif
