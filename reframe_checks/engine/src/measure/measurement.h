/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * measurement.h: the result of one operation at one size: its repetitions, their statistics, and the verdict.
 *
 * All processes take part; rank 0 alone has the result.
 */
#ifndef ISOCHRON_MEASUREMENT_H
#define ISOCHRON_MEASUREMENT_H

#include "batch/batch.h"
#include "batch/trace.h"
#include "call/check.h"
#include "probes/probe_log.h"
#include "session/session.h"
#include "statistics/statistics.h"
#include "verify/causality.h"
#include "verify/verification.h"

#include <stdbool.h>
#include <stdint.h>

enum { MEASUREMENT_OVERLAPS = 9 };

/* The cost of cold buffers before they are measured. */
struct measurement_cold {
    int64_t sets;           /* of the longest ring of all ranks; 0: buffers are warm */
    int64_t ring_bytes;     /* of the largest ring */
    int64_t first_touch_ns; /* to touch all pages of the ring, on the slowest rank */
    double first_use_ns;    /* median repetition that was the first on its buffers, including their registration */
};

/* Start, compute and wait, compared with computing alone; medians. */
struct measurement_overlap {
    double compute_ns, total_ns;
    double overlap; /* 1 - (total - compute) / time of start and wait without computing */
};

/* The evaluation, computed once after the last verification of the clocks. */
struct measurement_summary {
    struct statistics statistics; /* of the sample: valid repetitions and overruns */
    int64_t longest_overruns;     /* overruns that were longer than all valid repetitions */
    struct statistics from_last;  /* of the sample, counted from the last start */
    double start_skew_ns;         /* median of last start minus first start */
    struct verification_worst clock;
    const char *verdict;
    char reason[256]; /* empty for "ok" */
};

/*
 * With --probes gate: the regime of the machine during each repetition. Disturbed ones do not count, unless too few
 * others are valid.
 */
struct measurement_regimes {
    double *level_ns;          /* of each repetition: the cache line before or after its batch, the larger; NaN: none */
    bool *disturbed;           /* of each repetition */
    size_t classified;         /* repetitions with a level */
    size_t disturbed_valid;    /* disturbed ones that are valid; reps_valid includes them until the end of the launch */
    bool include_disturbed;    /* too few others are valid */
    int64_t excluded;          /* at the end: disturbed repetitions that are otherwise in the sample */
    double line_ns;            /* at the end: median level of the disturbed repetitions */
    double quiet_ns, limit_ns; /* at the end: of the launch */
    int64_t extra_ns;          /* time for waiting, and for repetitions that do not count */
};

struct measurement {
    const struct operation *operation;
    int64_t bytes;
    const char *type_name;
    int64_t messages; /* of bursts: those of one operation, of all processes of a group; 0: others, or not measured */
    int64_t first_call_ns, second_call_ns;
    int64_t warmup_reps;          /* of the last pass */
    struct measurement_cold cold; /* with cold buffers */
    int64_t slot_ns;              /* of the last batch */

    int64_t operations_per_rep;
    size_t reps, capacity; /* all counted repetitions, in order */
    int64_t *time_ns, *local_ns, *skew_ns;
    bool *valid;
    bool *overran; /* an overrun without late start */
    size_t reps_valid;
    int64_t late_start, overrun; /* invalid repetitions by their first reason */
    struct measurement_regimes regimes;
    bool given_up; /* late starts wasted too much time (rules/stop.h) */

    int64_t *pass_reps; /* repetitions of each pass */
    size_t passes;
    size_t first_epoch, epoch; /* of the clocks: in the first pass and in the last */
    struct causality causality;

    struct trace_report trace; /* the ranks that invalidated repetitions; with --per-rank all starts and ends */
    struct probe_log probes;
    struct check check;
    const char *missing; /* why it was not measured; NULL: it was */
    bool has_costs;      /* it is a basic item, and the following are set */
    double timer_cost_ns, barrier_cost_ns, cost_ns;
    int overlaps;
    struct measurement_overlap overlap[MEASUREMENT_OVERLAPS];

    struct measurement_summary summary;
};

/*
 * Return the limits of the stop rule for this measurement: with --max-volume at most volume / message size operations,
 * as PMB and IMB count it: of a vector that is scattered after its reduction, the message is the whole vector.
 */
struct stop_limits measurement_limits(const struct session *session, const struct measurement *measurement);

/* Rank 0: begin another pass. */
int measurement_begin_pass(struct measurement *measurement, struct fault *fault);

/* Add repetitions of that pass. */
int measurement_add(struct measurement *measurement, const struct rep_summary *summaries, int64_t reps,
                    struct fault *fault);

/* Set the level of the repetitions that have none yet; above the limit they are disturbed. */
void measurement_set_level(struct measurement *measurement, double level_ns, double limit_ns);

/* Return the number of valid repetitions that count. */
size_t measurement_valid(const struct measurement *measurement);

/*
 * Compute the statistics of the sample; NaN if memory is short. Overruns are in it: without the longest repetitions
 * every figure would be too small.
 */
struct statistics measurement_statistics(const struct measurement *measurement, const struct options *options);

/* Return the median of the sample; NaN without repetitions. */
double measurement_median(const struct measurement *measurement);

/*
 * Rank 0, after the last verification of the clocks: classify the repetitions by the final limit of the regime, and
 * fill the summary of each measurement.
 */
void measurement_summarise(const struct session *session, struct measurement *measurements, size_t count);

/*
 * Set the costs of the basic items among the measurements, which have summaries (Andreev, Voevodin, 1997-2003).
 *
 * DT, one reading of the timer, is the time of basic-timer. DB, a barrier, is the time of basic-barrier less DT. An
 * item is measured with a barrier after its calls; its cost is its time less DT and DB. All are means on process 0, by
 * its own clock: in the time from the first start to the last end, DT would be the spread of the starts.
 */
void measurement_find_costs(struct measurement *measurements, size_t count);

void measurement_free(struct measurement *measurement);

#endif
