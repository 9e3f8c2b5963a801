/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.c: the rules of verdict.h, one function each. A rule that applies writes its reason and returns true. */
#include "rules/verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double TIMER_STEPS = 3.0;
static const double CLOCK_SHARE = 0.1;
static const double CLOCK_UNKNOWN = 2.0;
static const double PRECISION_MARGIN = 3.0;
static const double MEAN_MEDIAN_SHARE = 0.25;

/* What errors are compared with: the median, or what the timer can see at all. */
static double verdict_scale(const struct verdict_facts *facts)
{
    return fmax(facts->statistics->median, TIMER_STEPS * facts->timer_step_ns);
}

static bool verdict_not_supported(const struct verdict_facts *facts, char *reason, size_t capacity)
{
    if (facts->missing != NULL)
        snprintf(reason, capacity, "%s", facts->missing);
    return facts->missing != NULL;
}

static bool verdict_failed_check(const struct verdict_facts *facts, char *reason, size_t capacity)
{
    if (facts->check_failed)
        snprintf(reason, capacity, "the operation returned wrong data");
    return facts->check_failed;
}

static bool verdict_too_few_valid(const struct verdict_facts *facts, char *reason, size_t capacity)
{
    if (facts->valid >= facts->min_valid)
        return false;
    snprintf(reason, capacity,
             "%" PRId64 " of %" PRId64 " runs valid, %" PRId64 " wanted: %" PRId64 " late starts, %" PRId64
             " overruns%s",
             facts->valid, facts->runs, facts->min_valid, facts->late_start, facts->overrun,
             facts->given_up ? "; given up, as late starts wasted 2 s" : "");
    return true;
}

static bool verdict_disturbed(const struct verdict_facts *facts, char *reason, size_t capacity)
{
    if (facts->disturbed)
        snprintf(reason, capacity,
                 "measured in another regime of the machine than the launch's quiet one: a cache line took %.0f ns, "
                 "%.0f ns in quiet",
                 facts->line_ns, facts->quiet_line_ns);
    return facts->disturbed;
}

static bool verdict_timer_limited(const struct verdict_facts *facts, char *reason, size_t capacity)
{
    const double median = facts->statistics->median;
    if (facts->known_time || median >= TIMER_STEPS * facts->timer_step_ns)
        return false;
    snprintf(reason, capacity, "median %.0f ns is within %.0f steps of the timer (resolution + cost = %.0f ns)", median,
             TIMER_STEPS, facts->timer_step_ns);
    return true;
}

static bool verdict_clock_limited(const struct verdict_facts *facts, char *reason, size_t capacity)
{
    const double scale = verdict_scale(facts);
    const double median = facts->statistics->median;
    const double error = facts->clock_error_ns;
    const double unknown = error + facts->clock_bound_ns;
    if (facts->causality_violations > 0) {
        snprintf(reason, capacity,
                 "rank %" PRId64 " has a false clock: messages arrived up to %" PRId64 " ns before they were sent",
                 facts->causality_rank, facts->causality_worst_ns);
        return true;
    }
    if (facts->clock_certain_ns > CLOCK_SHARE * scale || (!facts->one_clock && error > scale)) {
        snprintf(reason, capacity, "the clock of rank %" PRId64 " is off by %.0f ns against a median of %.0f ns",
                 facts->clock_rank, error, median);
        return true;
    }
    if (!facts->known_time && !facts->one_clock && unknown > CLOCK_UNKNOWN * scale) {
        snprintf(reason, capacity, "clock offsets are known to +- %.0f ns only, against a median of %.0f ns", unknown,
                 median);
        return true;
    }
    return false;
}

static bool verdict_unstable(const struct verdict_facts *facts, char *reason, size_t capacity)
{
    const struct statistics *const s = facts->statistics;
    const double precision = statistics_relative_error(s);
    const double wanted = facts->wanted_relative_error;
    const double scale = verdict_scale(facts);
    const double half = 0.5 * (s->ci_high - s->ci_low);
    if (facts->longer > (int64_t)facts->ignored) {
        snprintf(reason, capacity,
                 "%" PRId64 " of %zu runs that started in time overran their slots, and no slot was long enough",
                 facts->longer, s->count);
        return true;
    }
    if (fabs(s->mean - s->median) > MEAN_MEDIAN_SHARE * scale) {
        snprintf(reason, capacity, "trimmed mean %.0f ns and median %.0f ns disagree", s->mean, s->median);
        return true;
    }
    if (wanted > 0.0 && !(half <= PRECISION_MARGIN * wanted * scale)) {
        snprintf(reason, capacity, "the interval is +- %.1f %% of the mean, %.1f %% wanted", 100.0 * precision,
                 100.0 * wanted);
        return true;
    }
    return false;
}

const char *verdict_of(const struct verdict_facts *facts, char *reason, size_t capacity)
{
    static const struct {
        const char *name;
        bool (*applies)(const struct verdict_facts *facts, char *reason, size_t capacity);
    } rules[] = {
        {"not-supported", verdict_not_supported}, {"failed-check", verdict_failed_check},
        {"too-few-valid", verdict_too_few_valid}, {"disturbed", verdict_disturbed},
        {"timer-limited", verdict_timer_limited}, {"clock-limited", verdict_clock_limited},
        {"unstable", verdict_unstable},
    };
    reason[0] = '\0';
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].applies(facts, reason, capacity))
            return rules[i].name;
    return "ok";
}
