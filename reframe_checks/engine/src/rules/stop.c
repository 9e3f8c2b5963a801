/* SPDX-License-Identifier: BSD-3-Clause */
/* stop.c: the stop rules (see stop.h); variants 1 and 2 are those of Kurnosov, MPIPerf, 2012. */
#include "rules/stop.h"

#include "base/text.h"

#include <stddef.h>

enum { STOP_HARD_LIMIT = 1000000 };

/* Variant 1: so many runs, or so many valid ones. */
static bool stop_by_runs(const struct stop_limits *limits, const struct stop_progress *progress)
{
    return progress->runs >= limits->max_runs || progress->valid >= limits->max_valid;
}

/* Variant 2: precise enough, with a least number of valid runs; variant 1 limits it. */
static bool stop_by_relative_error(const struct stop_limits *limits, const struct stop_progress *progress)
{
    const bool precise = progress->relative_error <= limits->relative_error;
    return (precise && progress->valid >= limits->min_valid) || stop_by_runs(limits, progress);
}

static bool stop_by_time(const struct stop_limits *limits, const struct stop_progress *progress)
{
    return progress->elapsed_s >= limits->time_budget_s || progress->runs >= STOP_HARD_LIMIT;
}

static int64_t stop_runs_left(const struct stop_limits *limits, int64_t runs)
{
    return limits->max_runs - runs;
}

static int64_t stop_runs_left_by_time(const struct stop_limits *limits, int64_t runs)
{
    (void)limits;
    return STOP_HARD_LIMIT - runs;
}

static const struct stop_rule STOP_RULES[] = {
    [STOP_RELATIVE_ERROR] = {true, stop_by_relative_error, stop_runs_left},
    [STOP_RUNS] = {false, stop_by_runs, stop_runs_left},
    [STOP_TIME] = {false, stop_by_time, stop_runs_left_by_time},
};

const struct stop_rule *stop_of(enum stop_choice choice)
{
    return &STOP_RULES[choice];
}

const struct stop_rule *stop_find(const char *name)
{
    const int choice = text_choice(name, STOP_WORDS);
    return choice < 0 ? NULL : &STOP_RULES[choice];
}
