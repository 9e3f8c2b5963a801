/* SPDX-License-Identifier: BSD-3-Clause */
/* stop.c: the stop rules (see stop.h); variants 1 and 2 are those of M. Kurnosov, MPIPerf, 2012. */
#include "rules/stop.h"

#include "base/text.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stddef.h>

enum { STOP_HARD_LIMIT = 1000000 };

/* Further passes that are spread as the first ones are, for each of those. */
enum { STOP_FURTHER = 2 };

/* Variant 1: a number of repetitions, or of valid ones. */
static bool stop_by_reps(const struct stop_limits *limits, const struct stop_progress *progress)
{
    return progress->reps >= limits->max_reps || progress->valid >= limits->max_valid;
}

/* Variant 2: precise enough with a minimum of valid repetitions; variant 1 limits it. */
static bool stop_by_relative_error(const struct stop_limits *limits, const struct stop_progress *progress)
{
    const bool precise = progress->relative_error <= limits->relative_error;
    return (precise && progress->valid >= limits->min_valid) || stop_by_reps(limits, progress);
}

static bool stop_by_time(const struct stop_limits *limits, const struct stop_progress *progress)
{
    return progress->elapsed_s >= limits->time_budget_s || progress->reps >= STOP_HARD_LIMIT;
}

static int64_t stop_reps_left(const struct stop_limits *limits, int64_t reps)
{
    return limits->max_reps - reps;
}

static int64_t stop_reps_left_by_time(const struct stop_limits *limits, int64_t reps)
{
    (void)limits;
    return STOP_HARD_LIMIT - reps;
}

static int64_t stop_min_by_reps(const struct stop_limits *limits)
{
    return limits->max_valid < limits->max_reps ? limits->max_valid : limits->max_reps;
}

static int64_t stop_min_by_relative_error(const struct stop_limits *limits)
{
    return limits->min_valid;
}

static int64_t stop_min_by_time(const struct stop_limits *limits)
{
    (void)limits;
    return STOP_HARD_LIMIT;
}

static const struct stop_rule STOP_RULES[] = {
    [STOP_RELATIVE_ERROR] = {true, stop_min_by_relative_error, stop_by_relative_error, stop_reps_left},
    [STOP_REPS] = {false, stop_min_by_reps, stop_by_reps, stop_reps_left},
    [STOP_TIME] = {false, stop_min_by_time, stop_by_time, stop_reps_left_by_time},
};

/* The number of parts of that size that make up the total, rounded up. */
static int64_t stop_parts(int64_t total, int64_t part)
{
    return (total + part - 1) / part;
}

struct stop_plan stop_plan(const struct stop_rule *rule, const struct stop_limits *limits, int64_t batch,
                           int64_t passes)
{
    const int64_t batches = stop_parts(rule->min_sufficient(limits), batch), room = stop_min_by_reps(limits) / batch;
    const int64_t needed = room < MIN_SPREAD_PASSES ? room : MIN_SPREAD_PASSES;
    const int64_t max = batches > needed ? batches : needed;
    struct stop_plan plan = {.passes = passes < max ? passes : max};
    const int64_t beyond = limits->max_valid - plan.passes * batch;
    const int64_t further = rule->needs_statistics && plan.passes > 1 && beyond > 0 ? stop_parts(beyond, batch) : 0;
    plan.spread = plan.passes + (further < STOP_FURTHER * plan.passes ? further : STOP_FURTHER * plan.passes);
    return plan;
}

static int64_t stop_lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct stop_limits stop_limits_capped(const struct stop_limits *limits, int64_t max_reps)
{
    struct stop_limits capped = *limits;
    capped.min_valid = stop_lesser(limits->min_valid, max_reps);
    capped.max_valid = stop_lesser(limits->max_valid, max_reps);
    capped.max_reps = stop_lesser(limits->max_reps, max_reps);
    return capped;
}

static int64_t stop_share(int64_t total, int64_t pass, int64_t passes)
{
    return pass + 1 < passes ? total * (pass + 1) / passes : total;
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

struct stop_limits stop_limits_of_pass(const struct stop_limits *limits, int64_t passes)
{
    return (struct stop_limits){
        .relative_error = limits->relative_error,
        .min_valid = stop_parts(limits->min_valid, passes),
        .max_valid = stop_parts(limits->max_valid, passes),
        .max_reps = stop_parts(limits->max_reps, passes),
        .time_budget_s = limits->time_budget_s / (double)passes,
    };
}

const struct stop_rule *stop_of(enum stop_choice choice)
{
    return &STOP_RULES[choice];
}

const struct stop_rule *stop_find(const char *name)
{
    const int choice = text_choice(name, STOP_NAMES);
    return choice < 0 ? NULL : &STOP_RULES[choice];
}

/* In this number of batches slot and lead have doubled as often as they may. */
enum { PATIENCE_BATCHES = 8 };
static const double PATIENCE_NS = 2e9;
static const double PATIENCE_SHARE = 0.5;

void patience_note(struct patience *patience, int64_t took_ns, int64_t reps, int64_t late)
{
    patience->batches++;
    patience->all_ns += (double)took_ns;
    patience->wasted_ns += (double)took_ns * (double)late / (double)reps;
}

bool patience_is_over(const struct patience *patience)
{
    return patience->batches >= PATIENCE_BATCHES && patience->wasted_ns >= PATIENCE_NS &&
           patience->wasted_ns >= PATIENCE_SHARE * patience->all_ns;
}
