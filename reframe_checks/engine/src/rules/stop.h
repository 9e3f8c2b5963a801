/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stop.h: when one operation at one size has been measured enough. One table line a rule.
 *
 * The relative error is that of the mean and interval that are reported, not of another statistic.
 */
#ifndef ISOCHRON_STOP_H
#define ISOCHRON_STOP_H

#include "words/choices.h"

#include <stdbool.h>
#include <stdint.h>

struct stop_limits {
    double relative_error; /* half interval over mean */
    int64_t min_valid;
    int64_t max_valid;
    int64_t max_reps;
    double time_budget_s;
};

struct stop_progress {
    int64_t runs;
    int64_t valid;
    double elapsed_s;
    double relative_error; /* NaN while unknown */
};

struct stop_rule {
    bool needs_statistics;
    int64_t (*fewest)(const struct stop_limits *limits); /* valid runs that are not enough until there are so many */
    bool (*enough)(const struct stop_limits *limits, const struct stop_progress *progress);
    int64_t (*runs_left)(const struct stop_limits *limits, int64_t runs);
};

/* How rows are measured in turn. */
struct stop_plan {
    int64_t passes; /* over all rows */
    int64_t spread; /* so many share the pass span: all that a row may need, at most three times those over all rows */
};

/*
 * Where so many passes are asked for: no more than rows have batches at least, or, where the limits have room for them,
 * than an interval from passes needs.
 */
struct stop_plan stop_plan(const struct stop_rule *rule, const struct stop_limits *limits, int64_t batch,
                           int64_t passes);

/* The limits of what all passes up to this one, from 0, have made together: their share, in the last and after it all.
 */
struct stop_limits stop_limits_in_pass(const struct stop_limits *limits, int64_t pass, int64_t passes);

const struct stop_rule *stop_of(enum stop_choice choice);

/* The rule of that name, NULL if there is none. */
const struct stop_rule *stop_find(const char *name);

#endif
