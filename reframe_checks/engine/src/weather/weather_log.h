/* SPDX-License-Identifier: BSD-3-Clause */
/* weather_log.h: the readings that were taken while one row was measured. */
#ifndef ISOCHRON_WEATHER_LOG_H
#define ISOCHRON_WEATHER_LOG_H

#include "base/fault.h"
#include "base/json.h"
#include "weather/reading.h"

#include <stddef.h>
#include <stdint.h>

struct weather_entry {
    int64_t batch; /* the counted batch after which it was taken, from 0 */
    int64_t runs;  /* of the row, that were over */
    int64_t t_ns;  /* weather_time */
    struct reading reading;
};

struct weather_log {
    size_t count, capacity;
    struct weather_entry *entries;
    int64_t spent_ns;
};

int weather_log_add(struct weather_log *log, const struct weather_entry *entry, int64_t took_ns, struct fault *fault);

/* The member "probes": arrays of one length; null where nothing was read. */
void weather_log_write(const struct weather_log *log, struct json *json);

void weather_log_free(struct weather_log *log);

#endif
