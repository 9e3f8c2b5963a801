/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * measurement.h: one operation at one size, measured: the raw runs and everything its record needs.
 *
 * All processes take part; rank 0 alone has the result.
 */
#ifndef ISOCHRON_MEASUREMENT_H
#define ISOCHRON_MEASUREMENT_H

#include "batch/batch.h"
#include "batch/trace.h"
#include "call/check.h"
#include "session/session.h"
#include "statistics/statistics.h"
#include "verify/causality.h"
#include "verify/verification.h"
#include "weather/weather_log.h"

#include <stdbool.h>
#include <stdint.h>

enum { MEASUREMENT_OVERLAPS = 9 };

/* What cold buffers cost before they are measured. */
struct measurement_cold {
    int64_t sets;           /* of the longest ring of all ranks; 0: buffers are warm */
    int64_t ring_bytes;     /* of the largest */
    int64_t first_touch_ns; /* to touch all pages of the ring, the slowest rank */
    double first_use_ns;    /* median run that was the first on its buffers: with registration, where there is any */
};

/* Start, compute and wait, against computing alone; medians. */
struct measurement_overlap {
    double compute_ns, total_ns;
    double overlap; /* 1 - (total - compute) / time of start and wait without computing */
};

/* What the numbers come to, decided once when all clocks are known (judge.h). */
struct measurement_judgement {
    struct statistics statistics; /* of the runs that started in time */
    int64_t longer;               /* those of them that overran, and were longer than all valid ones */
    struct statistics from_last;  /* of the same, counted from the last start on */
    double start_skew_ns;         /* median of the spread of their starts */
    struct verification_worst clock;
    const char *verdict;
    char reason[256]; /* empty for "ok" */
};

/*
 * With --probes gate: in which regimes of the machine the runs were made. What was made in another than the launch's
 * quiet one does not count, unless there is too little else.
 */
struct measurement_regimes {
    double *level_ns;          /* of each run: a cache line before or after its batch, the worse; NaN: not known */
    bool *disturbed;           /* of each run: made in another regime */
    size_t known;              /* runs whose level has been read */
    size_t apart;              /* disturbed runs that are valid; while a row is measured they are in reps_valid, too */
    bool count_all;            /* there is too little else */
    int64_t excluded;          /* at the end: runs that would count in quiet */
    double line_ns;            /* at the end: median level of the disturbed runs */
    double quiet_ns, limit_ns; /* at the end: of the launch */
    int64_t extra_ns;          /* time for waiting, and for runs that do not count */
};

struct measurement {
    const struct operation *operation;
    int64_t bytes;
    const char *type_name;
    int64_t first_call_ns, second_call_ns;
    struct measurement_cold cold; /* with cold buffers */
    int64_t slot_ns;              /* the last one */

    int64_t operations_per_rep;
    size_t runs, capacity; /* all counted runs, in order */
    int64_t *time_ns, *local_ns, *skew_ns;
    bool *valid;
    bool *overran; /* not valid, but started in time: a long run */
    size_t reps_valid;
    int64_t late_start, overrun; /* invalid runs by their first reason */
    struct measurement_regimes regimes;
    bool given_up; /* nearly all runs started late (rules/patience.h) */

    int64_t *pass_reps; /* runs that each pass over the row has made */
    size_t passes;
    size_t first_epoch, epoch; /* of the clocks: in the first pass and in the last */
    struct causality causality;

    struct trace_report trace; /* who made runs invalid, and with --per-rank all starts and ends */
    struct weather_log weather;
    struct check check;
    const char *missing; /* why it was not measured; NULL: it was */
    bool has_costs;      /* a basic item, and what follows has been measured in the same launch */
    double timer_cost_ns, barrier_cost_ns, cost_ns;
    int overlaps;
    struct measurement_overlap overlap[MEASUREMENT_OVERLAPS];

    struct measurement_judgement judgement;
};

/* One more pass over the row begins; on rank 0. */
int measurement_begin_pass(struct measurement *measurement, struct fault *fault);

/* Adds runs of that pass. */
int measurement_add(struct measurement *measurement, const struct run_summary *summaries, int64_t runs,
                    struct fault *fault);

/* Runs since the last time that levels were set have this one; above the limit they are disturbed. */
void measurement_set_level(struct measurement *measurement, double level_ns, double limit_ns);

/*
 * When nothing is measured any more: finds again which runs are disturbed, by the limit that the whole launch has led
 * to, and takes them out of the valid and the long ones; all count where fewer than min_valid would be left.
 */
void measurement_settle_regimes(struct measurement *measurement, double quiet_ns, double limit_ns, int64_t min_valid);

/* Valid runs that count. */
size_t measurement_valid(const struct measurement *measurement);

/*
 * Statistics of the runs that started in time; NaN where memory is short. What ended after its slot is one of them:
 * without the longest runs every figure would be too small.
 */
struct statistics measurement_statistics(const struct measurement *measurement, const struct options *options);

/* The same of the runs counted from the last start on, when arrivals are spread. */
struct statistics measurement_from_last(const struct measurement *measurement, const struct options *options);

/* Their median; NaN when there are none. */
double measurement_median(const struct measurement *measurement);

/* The median of the spread of their starts. */
double measurement_start_skew(const struct measurement *measurement);

/* How many overran and were longer than all valid runs. */
int64_t measurement_longer(const struct measurement *measurement);

void measurement_free(struct measurement *measurement);

#endif
