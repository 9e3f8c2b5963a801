/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cost.c: what the basic items cost (Andreev, Voevodin, 1997-2003).
 *
 * DT, one reading of the timer, is the time of basic-timer. DB, a barrier, is the time of basic-barrier less DT. An
 * item is measured with a barrier behind its calls; its cost is its time less DT and DB. All are medians of runs that
 * started in time.
 */
#include "measure/cost.h"

#include <string.h>

/* The row of that operation, NULL when it was not measured. */
static const struct measurement *cost_row(const struct measurement *rows, size_t count, const char *operation)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].operation->name, operation) == 0 && rows[i].reps_valid > 0)
            return &rows[i];
    return NULL;
}

void cost_find(struct measurement *rows, size_t count)
{
    const struct measurement *const timer = cost_row(rows, count, "basic-timer");
    const struct measurement *const barrier = cost_row(rows, count, "basic-barrier");
    for (size_t i = 0; i < count; i++) {
        struct measurement *const row = &rows[i];
        if (strcmp(row->operation->group, "basic") != 0 || timer == NULL || barrier == NULL)
            continue;
        row->has_costs = row->reps_valid > 0;
        row->timer_cost_ns = timer->judgement.statistics.median;
        row->barrier_cost_ns = barrier->judgement.statistics.median - row->timer_cost_ns;
        row->cost_ns = row->judgement.statistics.median;
        if (row != timer)
            row->cost_ns -= row->timer_cost_ns;
        if (row != timer && row != barrier)
            row->cost_ns -= row->barrier_cost_ns;
    }
}
