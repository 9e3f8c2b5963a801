/* SPDX-License-Identifier: BSD-3-Clause */
/* stop.c: the stop rules (see stop.h); variants 1 and 2 are those of Kurnosov, MPIPerf, 2012. */
#include "rules/stop.h"

#include "base/text.h"
#include "statistics/pass_spread.h"

#include <math.h>
#include <stddef.h>

enum { STOP_HARD_LIMIT = 1000000 };

/* Of further passes that are as far apart as the first ones, so many for each of those. */
enum { STOP_FURTHER = 2 };

/* Variant 1: so many runs, or so many valid ones. */
static bool stop_by_runs(const struct stop_limits *limits, const struct stop_progress *progress)
{
    return progress->runs >= limits->max_reps || progress->valid >= limits->max_valid;
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
    return limits->max_reps - runs;
}

static int64_t stop_runs_left_by_time(const struct stop_limits *limits, int64_t runs)
{
    (void)limits;
    return STOP_HARD_LIMIT - runs;
}

static int64_t stop_fewest_by_runs(const struct stop_limits *limits)
{
    return limits->max_valid < limits->max_reps ? limits->max_valid : limits->max_reps;
}

static int64_t stop_fewest_by_relative_error(const struct stop_limits *limits)
{
    return limits->min_valid;
}

static int64_t stop_fewest_by_time(const struct stop_limits *limits)
{
    (void)limits;
    return STOP_HARD_LIMIT;
}

static const struct stop_rule STOP_RULES[] = {
    [STOP_RELATIVE_ERROR] = {true, stop_fewest_by_relative_error, stop_by_relative_error, stop_runs_left},
    [STOP_RUNS] = {false, stop_fewest_by_runs, stop_by_runs, stop_runs_left},
    [STOP_TIME] = {false, stop_fewest_by_time, stop_by_time, stop_runs_left_by_time},
};

/* How many parts of that size make up the whole. */
static int64_t stop_parts(int64_t whole, int64_t part)
{
    return (whole + part - 1) / part;
}

struct stop_plan stop_plan(const struct stop_rule *rule, const struct stop_limits *limits, int64_t batch,
                           int64_t passes)
{
    const int64_t batches = stop_parts(rule->fewest(limits), batch), room = stop_fewest_by_runs(limits) / batch;
    const int64_t needed = room < PASS_SPREAD_FEWEST ? room : PASS_SPREAD_FEWEST;
    const int64_t most = batches > needed ? batches : needed;
    struct stop_plan plan = {.passes = passes < most ? passes : most};
    const int64_t beyond = limits->max_valid - plan.passes * batch;
    const int64_t further = rule->needs_statistics && plan.passes > 1 && beyond > 0 ? stop_parts(beyond, batch) : 0;
    plan.spread = plan.passes + (further < STOP_FURTHER * plan.passes ? further : STOP_FURTHER * plan.passes);
    return plan;
}

static int64_t stop_share(int64_t whole, int64_t pass, int64_t passes)
{
    return pass + 1 < passes ? whole * (pass + 1) / passes : whole;
}

struct stop_limits stop_limits_in_pass(const struct stop_limits *limits, int64_t pass, int64_t passes)
{
    return (struct stop_limits){
        .relative_error = limits->relative_error,
        .min_valid = stop_share(limits->min_valid, pass, passes),
        .max_valid = stop_share(limits->max_valid, pass, passes),
        .max_reps = stop_share(limits->max_reps, pass, passes),
        .time_budget_s = limits->time_budget_s * fmin((double)(pass + 1) / (double)passes, 1.0),
    };
}

const struct stop_rule *stop_of(enum stop_choice choice)
{
    return &STOP_RULES[choice];
}

const struct stop_rule *stop_find(const char *name)
{
    const int choice = text_choice(name, STOP_WORDS);
    return choice < 0 ? NULL : &STOP_RULES[choice];
}
