/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verdict.h: whether the numbers of one row are to be believed, and in plain words why not.
 *
 * Where the median is below 3 (resolution + cost) of the timer, that stands for the median in the rules on clocks and
 * spread. The rules are tried in this order; docs/reference/engine.md states them for the reader:
 *   failed-check   the data check failed
 *   too-few-valid  fewer valid runs than --min-valid
 *   timer-limited  the median is below 3 (resolution + cost) of the timer; not asked of a null operation
 *   clock-limited  clock_error_ns is above a tenth of the median and above what the re-measurement can resolve (its
 *                  bound); or, with more than one host, it is above the median, or the clocks are known no better than
 *                  twice the median
 *   unstable       precision was asked for and missed by more than a factor of 3, or trimmed mean and median differ
 *                  by more than a quarter
 */
#ifndef ISOCHRON_VERDICT_H
#define ISOCHRON_VERDICT_H

#include "statistics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of a row when it is judged. */
struct verdict_facts {
    const struct statistics *statistics;
    int64_t runs, valid, min_valid;
    int64_t late_start, overrun;
    bool check_failed;
    bool known_time;              /* a wait pattern: its true time is known and needs no message */
    bool one_clock;               /* all processes run on one host and read its one clock */
    double wanted_relative_error; /* 0 when the stop rule does not ask for one */
    double timer_step_ns;        /* resolution + cost */
    int64_t clock_error_ns;      /* worst error found by re-measuring the offsets */
    int64_t clock_bound_ns;      /* half width of the interval around that error */
};

/* Returns the verdict's name and writes the reason, empty for "ok". */
const char *verdict_of(const struct verdict_facts *facts, char *reason, size_t capacity);

#endif
