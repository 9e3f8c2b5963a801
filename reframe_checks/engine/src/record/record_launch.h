/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record_launch.h: the records that describe a launch: the header, and the clocks at the ends of each epoch (schema 1,
 * docs/reference/engine.md). Rank 0 writes them.
 */
#ifndef ISOCHRON_RECORD_LAUNCH_H
#define ISOCHRON_RECORD_LAUNCH_H

#include "base/json.h"
#include "session/session.h"

/* Write the header; argc and argv are the command line. */
void record_header(const struct session *session, int argc, char **argv, struct json *json);

/* Write the clocks before or after the measurements of an epoch. */
void record_clock(const struct session *session, size_t epoch, bool after, struct json *json);

#endif
