/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stop.h: when one operation at one size has been measured enough: the stop rules, a line of the table each; their
 * limits in passes; and abandoning a measurement whose repetitions start late.
 */
#ifndef ISOCHRON_STOP_H
#define ISOCHRON_STOP_H

#include "option_values/choices.h"

#include <stdbool.h>
#include <stdint.h>

struct stop_limits {
    double relative_error; /* half interval over mean, of the reported mean */
    int64_t min_valid;
    int64_t max_valid;
    int64_t max_reps;
    double time_budget_s;
};

struct stop_progress {
    int64_t reps;
    int64_t valid;
    double elapsed_s;
    double relative_error; /* NaN: unknown */
};

struct stop_rule {
    bool needs_statistics;
    int64_t (*min_sufficient)(const struct stop_limits *limits); /* the smallest number of repetitions that can do */
    bool (*enough)(const struct stop_limits *limits, const struct stop_progress *progress);
    int64_t (*reps_left)(const struct stop_limits *limits, int64_t reps);
};

/* The passes over all measurements. */
struct stop_plan {
    int64_t passes; /* in which every measurement takes part */
    int64_t spread; /* passes that share the pass span: all that a measurement may need, at most 3 times the above */
};

/*
 * Plan at most the requested passes: no more than a measurement has batches at least, or, if the limits permit it, than
 * an interval from passes needs.
 */
struct stop_plan stop_plan(const struct stop_rule *rule, const struct stop_limits *limits, int64_t batch,
                           int64_t passes);

/* Return the limits with at most that many repetitions. */
struct stop_limits stop_limits_capped(const struct stop_limits *limits, int64_t max_reps);

/* Return the limits for all passes up to this one (from 0) together: their share, and from the last pass on all. */
struct stop_limits stop_limits_in_pass(const struct stop_limits *limits, int64_t pass, int64_t passes);

/* Return the limits of a single pass, when each has an equal share of its own, rounded up. */
struct stop_limits stop_limits_of_pass(const struct stop_limits *limits, int64_t passes);

const struct stop_rule *stop_of(enum stop_choice choice);

/* Return the rule of that name; NULL if there is none. */
const struct stop_rule *stop_find(const char *name);

/*
 * The time that late starts have wasted in a measurement.
 *
 * On a machine with too few processors the time slices of the processes may never coincide: every message waits for a
 * time slice, all repetitions start late, and a measurement that needs valid ones lasts for minutes. Of each batch, the
 * share with late starts is wasted time. A measurement is abandoned when 2 s are wasted, this is at least half of its
 * time, and the schedule has had 8 batches to adapt.
 */
struct patience {
    int64_t batches;
    double all_ns, wasted_ns;
};

/* Record a batch of reps repetitions, late of which started late. */
void patience_note(struct patience *patience, int64_t took_ns, int64_t reps, int64_t late);

bool patience_is_over(const struct patience *patience);

#endif
