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
    int64_t max_runs;
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
    bool (*enough)(const struct stop_limits *limits, const struct stop_progress *progress);
    int64_t (*runs_left)(const struct stop_limits *limits, int64_t runs);
};

const struct stop_rule *stop_of(enum stop_choice choice);

/* The rule of that name, NULL if there is none. */
const struct stop_rule *stop_find(const char *name);

#endif
