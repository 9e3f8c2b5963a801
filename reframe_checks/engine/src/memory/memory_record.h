/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_record.h: the memory of all processes and hosts as a record. */
#ifndef ISOCHRON_MEMORY_RECORD_H
#define ISOCHRON_MEMORY_RECORD_H

#include "base/json.h"
#include "machine/environment.h"
#include "memory/memory.h"

/* Collective: rank 0 writes the record of type memory; without steps under a simulator, which shares memory. */
int memory_record(const struct memory *own, const struct team *team, const struct environment *environment,
                  bool simulated, struct json *json, struct fault *fault);

#endif
