/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.c: the rules of verdict.h, a function each. A rule that applies writes its reason and returns true. */
#include "rules/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double TIMER_STEPS = 3.0;
static const double CLOCK_SHARE = 0.1;
static const double CLOCK_UNKNOWN = 2.0;
static const double PRECISION_MARGIN = 3.0;
static const double MEAN_MEDIAN_SHARE = 0.25;

/* The scale of errors: the median, or the shortest time that the timer can measure. */
static double verdict_scale(const struct verdict_input *input)
{
    return fmax(input->statistics->median, TIMER_STEPS * input->timer_step_ns);
}

static bool verdict_not_supported(const struct verdict_input *input, char *reason, size_t capacity)
{
    if (input->missing != NULL)
        snprintf(reason, capacity, "%s", input->missing);
    return input->missing != NULL;
}

static bool verdict_failed_check(const struct verdict_input *input, char *reason, size_t capacity)
{
    if (input->check_failed)
        snprintf(reason, capacity, "the operation returned wrong data");
    return input->check_failed;
}

static bool verdict_too_few_valid(const struct verdict_input *input, char *reason, size_t capacity)
{
    if (input->valid >= input->min_valid)
        return false;
    snprintf(reason, capacity,
             "%" PRId64 " of %" PRId64 " repetitions valid, %" PRId64 " required: %" PRId64 " late starts, %" PRId64
             " overruns%s",
             input->valid, input->reps, input->min_valid, input->late_start, input->overrun,
             input->given_up ? "; abandoned after late starts wasted 2 s" : "");
    return true;
}

static bool verdict_disturbed(const struct verdict_input *input, char *reason, size_t capacity)
{
    if (input->disturbed)
        snprintf(reason, capacity,
                 "measured in a disturbed regime of the machine: a cache line took %.0f ns, "
                 "%.0f ns in the quiet regime",
                 input->line_ns, input->quiet_line_ns);
    return input->disturbed;
}

static bool verdict_timer_limited(const struct verdict_input *input, char *reason, size_t capacity)
{
    const double median = input->statistics->median;
    if (input->known_time || median >= TIMER_STEPS * input->timer_step_ns)
        return false;
    snprintf(reason, capacity, "median %.0f ns is within %.0f steps of the timer (resolution + cost = %.0f ns)", median,
             TIMER_STEPS, input->timer_step_ns);
    return true;
}

static bool verdict_clock_limited(const struct verdict_input *input, char *reason, size_t capacity)
{
    const double scale = verdict_scale(input);
    const double median = input->statistics->median;
    const double error = input->clock_error_ns;
    const double uncertainty = error + input->clock_bound_ns;
    if (input->causality_violations > 0) {
        snprintf(reason, capacity,
                 "rank %" PRId64 " has a false clock: messages arrived up to %" PRId64 " ns before they were sent",
                 input->causality_rank, input->causality_worst_ns);
        return true;
    }
    if (input->clock_certain_ns > CLOCK_SHARE * scale || (!input->one_clock && error > scale)) {
        snprintf(reason, capacity, "the clock of rank %" PRId64 " has an error of %.0f ns, with a median of %.0f ns",
                 input->clock_rank, error, median);
        return true;
    }
    if (!input->known_time && !input->one_clock && uncertainty > CLOCK_UNKNOWN * scale) {
        snprintf(reason, capacity, "clock offsets are uncertain by +- %.0f ns, with a median of %.0f ns", uncertainty,
                 median);
        return true;
    }
    return false;
}

static bool verdict_unstable(const struct verdict_input *input, char *reason, size_t capacity)
{
    const struct statistics *const s = input->statistics;
    const double precision = statistics_relative_error(s);
    const double target = input->target_relative_error;
    const double scale = verdict_scale(input);
    const double half = 0.5 * (s->ci_high - s->ci_low);
    if (input->longest_overruns > (int64_t)input->ignored) {
        snprintf(reason, capacity,
                 "%" PRId64 " of %zu repetitions without late start overran, and no slot was long enough",
                 input->longest_overruns, s->count);
        return true;
    }
    if (fabs(s->mean - s->median) > MEAN_MEDIAN_SHARE * scale) {
        snprintf(reason, capacity, "trimmed mean %.0f ns and median %.0f ns differ", s->mean, s->median);
        return true;
    }
    if (target > 0.0 && !(half <= PRECISION_MARGIN * target * scale)) {
        snprintf(reason, capacity, "the interval is +- %.1f %% of the mean, %.1f %% required", 100.0 * precision,
                 100.0 * target);
        return true;
    }
    return false;
}

const char *verdict_of(const struct verdict_input *input, char *reason, size_t capacity)
{
    static const struct {
        const char *name;
        bool (*applies)(const struct verdict_input *input, char *reason, size_t capacity);
    } rules[] = {
        {"not-supported", verdict_not_supported}, {"failed-check", verdict_failed_check},
        {"too-few-valid", verdict_too_few_valid}, {"disturbed", verdict_disturbed},
        {"timer-limited", verdict_timer_limited}, {"clock-limited", verdict_clock_limited},
        {"unstable", verdict_unstable},
    };
    reason[0] = '\0';
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].applies(input, reason, capacity))
            return rules[i].name;
    return "ok";
}
