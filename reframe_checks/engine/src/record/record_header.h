/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record_header.h: the record that describes a launch (schema 1, docs/reference/engine.md). Rank 0 writes it.
 */
#ifndef ISOCHRON_RECORD_HEADER_H
#define ISOCHRON_RECORD_HEADER_H

#include "base/json.h"
#include "session/session.h"

void record_header(const struct session *session, int argc, char **argv, struct json *json);

#endif
