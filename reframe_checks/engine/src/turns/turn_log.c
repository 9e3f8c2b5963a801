/* SPDX-License-Identifier: BSD-3-Clause */
/* turn_log.c: the columns of the record "turns" (see turn_log.h). */
#include "turns/turn_log.h"

#include <stdlib.h>

static const char *const TURN_LOG_NAMES[TURN_LOG_COLUMNS] = {
    [TURN_LOG_PASS] = "pass",
    [TURN_LOG_CASE] = "case",
    [TURN_LOG_POSITION] = "position",
    [TURN_LOG_T] = "t_ns",
    [TURN_LOG_LENGTH] = "turn_ns",
    [TURN_LOG_WAITED] = "waited_ns",
    [TURN_LOG_SLEPT_CPU] = "slept_cpu_ns",
    [TURN_LOG_HANDOVER] = "handover_ns",
    [TURN_LOG_WARMUP] = "warmup_reps",
};

void turn_plan_write(const struct resident *resident, int64_t passes, struct json *json)
{
    if (!json_open_if(json, "turns", '{', resident != NULL))
        return;
    const struct turn_plan *const plan = &resident->options.plan;
    json_integer(json, "index", resident->options.index);
    json_integer(json, "residents", plan->residents);
    json_integer(json, "seed", (int64_t)plan->seed);
    json_integer(json, "rounds", plan->rounds);
    json_integer(json, "passes", passes);
    json_integer(json, "cases", plan->cases);
    json_integer(json, "limit_ns", resident->options.limit_ns);
    json_close(json, '}');
}

int turn_log_open(struct turn_log *log, size_t capacity, struct fault *fault)
{
    *log = (struct turn_log){.capacity = capacity};
    for (int c = 0; c < TURN_LOG_COLUMNS; c++)
        if ((log->columns[c] = calloc(capacity + 1, sizeof(int64_t))) == NULL)
            return fault_set(fault, FAULT_SYSTEM, "out of memory for %zu turns", capacity);
    return 0;
}

void turn_log_add(struct turn_log *log, const int64_t entry[TURN_LOG_COLUMNS])
{
    for (int c = 0; c < TURN_LOG_COLUMNS; c++)
        log->columns[c][log->count] = entry[c];
    log->count++;
}

void turn_log_write(const struct turn_log *log, struct json *json)
{
    for (int c = 0; c < TURN_LOG_COLUMNS; c++)
        json_integers(json, TURN_LOG_NAMES[c], log->columns[c], log->count);
}

void turn_log_close(struct turn_log *log)
{
    for (int c = 0; c < TURN_LOG_COLUMNS; c++)
        free(log->columns[c]);
    *log = (struct turn_log){0};
}
