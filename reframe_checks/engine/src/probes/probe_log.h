/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_log.h: the readings taken during one measurement. */
#ifndef ISOCHRON_PROBE_LOG_H
#define ISOCHRON_PROBE_LOG_H

#include "base/fault.h"
#include "base/json.h"
#include "probes/probes.h"

#include <stddef.h>
#include <stdint.h>

struct probe_entry {
    int64_t batch; /* the counted batch before the reading, from 0 */
    int64_t reps;  /* repetitions of the measurement before the reading */
    int64_t t_ns;  /* probes_time */
    struct reading reading;
};

struct probe_log {
    size_t count, capacity;
    struct probe_entry *entries;
    int64_t spent_ns;
};

/* Add a reading that took took_ns. */
int probe_log_add(struct probe_log *log, const struct probe_entry *entry, int64_t took_ns, struct fault *fault);

/* Write the member "probes": arrays of one length; null without readings. */
void probe_log_write(const struct probe_log *log, struct json *json);

void probe_log_free(struct probe_log *log);

#endif
