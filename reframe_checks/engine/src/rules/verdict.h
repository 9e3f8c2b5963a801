/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verdict.h: the verdict on one measurement, with its reason.
 *
 * The rules are tried in this order; docs/reference/engine.md states them for the user. In the rules on clocks and
 * precision the median is replaced by 3 timer steps (resolution + cost) if it is below that:
 *   not-supported  the MPI library or the standard lacks the operation
 *   failed-check   the data check failed
 *   too-few-valid  fewer valid repetitions than --min-valid
 *   disturbed  fewer than that in the quiet regime of the machine (gate.h), so that disturbed ones count
 *   timer-limited  the median is below 3 timer steps; does not apply to operations of known time
 *   clock-limited  a message was received before its global send time; or a certain error of the clocks (above the
 * bound of its re-measurement) exceeds a tenth of the median; or, on more than one host, any error exceeds the median,
 * or error and bound together exceed twice the median unstable       more overruns were longer than all valid
 * repetitions than the statistics can ignore; or the required precision was missed by more than a factor of 3; or
 * trimmed mean and median differ by more than a quarter
 */
#ifndef ISOCHRON_VERDICT_H
#define ISOCHRON_VERDICT_H

#include "statistics/statistics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct verdict_input {
    const struct statistics *statistics;
    int64_t reps, valid, min_valid;
    int64_t late_start, overrun;
    bool given_up;            /* too much time was wasted by late starts (stop.h) */
    bool disturbed;           /* disturbed repetitions count, since too few others are valid */
    double line_ns;           /* a cache-line round trip during those, */
    double quiet_line_ns;     /* and in the quiet regime */
    int64_t longest_overruns; /* overruns that were longer than all valid repetitions */
    size_t ignored;           /* largest values that change no figure (statistics_ignored) */
    const char *missing;      /* why the operation could not be measured; NULL: it was */
    bool check_failed;
    bool known_time;              /* the true time of the operation is known and needs no message */
    bool one_clock;               /* all processes run on one host and read its clock */
    double target_relative_error; /* 0: not required by the stop rule */
    double timer_step_ns;         /* resolution + cost */
    double clock_error_ns;        /* the worst error from re-measuring the offsets, */
    int64_t clock_rank;           /* and its rank */
    double clock_certain_ns;      /* the worst error that exceeds its own bound */
    double clock_bound_ns;        /* the worst half width of the interval of an error */
    int64_t causality_violations, causality_worst_ns, causality_rank; /* messages received before they were sent */
};

/* Return the name of the verdict and write its reason, which is empty for "ok". */
const char *verdict_of(const struct verdict_input *input, char *reason, size_t capacity);

#endif
