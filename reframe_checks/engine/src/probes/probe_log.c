/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_log.c: stores readings and writes them (see probe_log.h). */
#include "probes/probe_log.h"

#include <stdlib.h>

int probe_log_add(struct probe_log *log, const struct probe_entry *entry, int64_t took_ns, struct fault *fault)
{
    if (log->count == log->capacity) {
        const size_t capacity = 2 * log->capacity + 8;
        struct probe_entry *const entries = realloc(log->entries, capacity * sizeof *entries);
        if (entries == NULL)
            return fault_set(fault, FAULT_SYSTEM, "out of memory for %zu readings of the probes", capacity);
        log->entries = entries;
        log->capacity = capacity;
    }
    log->entries[log->count++] = *entry;
    log->spent_ns += took_ns;
    return 0;
}

static void probe_log_integers(const struct probe_log *log, const char *key, size_t member, struct json *json)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < log->count; i++)
        json_integer(json, NULL, *(const int64_t *)(const void *)((const char *)&log->entries[i] + member));
    json_close(json, ']');
}

void probe_log_write(const struct probe_log *log, struct json *json)
{
    if (!json_open_if(json, "probes", '{', log->count != 0))
        return;
    json_integer(json, "spent_ns", log->spent_ns);
    probe_log_integers(log, "batch", offsetof(struct probe_entry, batch), json);
    probe_log_integers(log, "reps", offsetof(struct probe_entry, reps), json);
    probe_log_integers(log, "t_ns", offsetof(struct probe_entry, t_ns), json);
    for (int kind = 0; kind < READING_KINDS; kind++) {
        json_open(json, READING_NAMES[kind], '[');
        for (size_t i = 0; i < log->count; i++)
            json_real(json, NULL, log->entries[i].reading.value[kind]);
        json_close(json, ']');
    }
    json_close(json, '}');
}

void probe_log_free(struct probe_log *log)
{
    free(log->entries);
    *log = (struct probe_log){0};
}
