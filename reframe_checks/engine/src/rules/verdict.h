/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verdict.h: whether the numbers of one row are to be believed, and in plain words why not.
 *
 * Where the median is below 3 (resolution + cost) of the timer, that stands for the median in the rules on clocks and
 * spread. The rules are tried in this order; docs/reference/engine.md states them for the reader:
 *   not-supported  the MPI library or the standard lacks the operation
 *   failed-check   the data check failed
 *   too-few-valid  fewer valid runs than --min-valid
 *   disturbed  fewer valid runs than that in the machine's quiet regime (gate.h), so that those of others count
 *   timer-limited  the median is below 3 (resolution + cost) of the timer; not asked of a null operation
 *   clock-limited  a message was received before its global send time; an error of the clocks that is certain (above
 *                  the bound of its re-measurement) is above a tenth of the median; or, with more than
 *                  one host, any error is above the median, or error and bound together are above twice the median
 *   unstable       more runs overran their slots, and were longer than all others, than the statistics may ignore;
 *                  precision was asked for and missed by more than a factor of 3; or trimmed mean and median differ by
 *                  more than a quarter
 */
#ifndef ISOCHRON_VERDICT_H
#define ISOCHRON_VERDICT_H

#include "statistics/statistics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of a row when it is judged. */
struct verdict_facts {
    const struct statistics *statistics;
    int64_t runs, valid, min_valid;
    int64_t late_start, overrun;
    bool given_up;        /* nearly all runs started late for too long (patience.h) */
    bool disturbed;   /* disturbed runs count, as too few others are valid */
    double line_ns;       /* a cache line during those, */
    double quiet_line_ns; /* and in the launch's quiet regime */
    int64_t longer;       /* overruns that were longer than all valid runs */
    size_t ignored;       /* so many of the longest runs change no figure (statistics_ignored) */
    const char *missing;  /* why the operation could not be measured, NULL when it was */
    bool check_failed;
    bool known_time;              /* a wait pattern: its true time is known and needs no message */
    bool one_clock;               /* all processes run on one host and read its one clock */
    double wanted_relative_error; /* 0 when the stop rule does not ask for one */
    double timer_step_ns;         /* resolution + cost */
    double clock_error_ns;        /* worst error that re-measuring the offsets has found */
    int64_t clock_rank;           /* that has it */
    double clock_certain_ns;      /* worst one that is above its own bound */
    double clock_bound_ns;        /* worst half width of the interval around an error */
    int64_t causality_violations, causality_worst_ns, causality_rank; /* messages received before they were sent */
};

/* Returns the verdict's name and writes the reason, empty for "ok". */
const char *verdict_of(const struct verdict_facts *facts, char *reason, size_t capacity);

#endif
