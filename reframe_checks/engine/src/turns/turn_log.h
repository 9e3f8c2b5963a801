/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * turn_log.h: what a resident records: the plan of its turns, and of the turns a column for each kind of number and an
 * entry for each slice.
 */
#ifndef ISOCHRON_TURN_LOG_H
#define ISOCHRON_TURN_LOG_H

#include "base/fault.h"
#include "base/json.h"
#include "turns/resident.h"

#include <stddef.h>
#include <stdint.h>

enum turn_column {
    TURN_LOG_PASS,      /* from 0, over all turns */
    TURN_LOG_CASE,      /* from 0, in the order of the launch */
    TURN_LOG_POSITION,  /* of this resident in the slice, from 0 */
    TURN_LOG_T,         /* CLOCK_MONOTONIC of the node of rank 0 when the turn began, ns */
    TURN_LOG_LENGTH,    /* of the turn, ns */
    TURN_LOG_WAITED,    /* before it, ns */
    TURN_LOG_SLEPT_CPU, /* processor time of all threads of a process while it waited, the most of all processes, ns */
    TURN_LOG_HANDOVER,  /* from the end of the previous turn until the last process of a node had this one, ns */
    TURN_LOG_WARMUP,    /* warm-up repetitions */
    TURN_LOG_COLUMNS
};

/*
 * Write the member "turns" of a header: which resident this is, the plan, and the passes in each of its turns; null if
 * `resident` is NULL.
 */
void turn_plan_write(const struct resident *resident, int64_t passes, struct json *json);

struct turn_log {
    size_t count, capacity;
    int64_t *columns[TURN_LOG_COLUMNS];
};

/* To be closed in any case. */
int turn_log_open(struct turn_log *log, size_t capacity, struct fault *fault);

/* Add an entry; the capacity suffices. */
void turn_log_add(struct turn_log *log, const int64_t entry[TURN_LOG_COLUMNS]);

/* Write the columns as members of the open JSON object. */
void turn_log_write(const struct turn_log *log, struct json *json);

void turn_log_close(struct turn_log *log);

#endif
