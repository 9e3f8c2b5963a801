/* SPDX-License-Identifier: BSD-3-Clause */
/* test_schedule.c: slots, stop rules and verdicts. */
#include "harness.h"
#include "rules/slot.h"
#include "rules/stop.h"
#include "rules/verdict.h"

#include <math.h>
#include <string.h>

static const struct slot_rule RULE = {.growth = 1.1, .max_invalid = 0.25, .floor_ns = 1000, .cap_ns = 100000};

static void test_free_slot(struct harness *h)
{
    harness_case(h, "a process that is early takes the slot it wants");
    harness_is(h, slot_next_free(90, 100, 10, 0) == 0);
    harness_is(h, slot_next_free(100, 100, 10, 0) == 0);
    harness_is(h, slot_next_free(115, 100, 10, 5) == 5);
    harness_case(h, "a process that has missed slots takes the next free one");
    harness_is(h, slot_next_free(101, 100, 10, 0) == 1);
    harness_is(h, slot_next_free(110, 100, 10, 1) == 1);
    harness_is(h, slot_next_free(111, 100, 10, 1) == 2);
    harness_is(h, slot_next_free(4999, 100, 10, 1) == 490);
    harness_case(h, "without slots there is nothing to miss");
    harness_is(h, slot_next_free(5000, 100, 0, 3) == 3);
}

static void test_growth(struct harness *h)
{
    const struct slot_outcome initial = {.reps = 4, .span_ns = 40000};
    harness_case(h, "the first slot is growth times the mean of the initialisation batch");
    harness_is(h, slot_first_width(&RULE, &initial) == 11000);
    harness_case(h, "the first slot has room for an isolated repetition if those of the batch overlapped");
    const struct slot_outcome overlapped = {.reps = 4, .span_ns = 40000, .longest_ns = 30000};
    harness_is(h, slot_first_width(&RULE, &overlapped) == 33000);
    harness_case(h, "a slot is never below the floor nor above the cap");
    const struct slot_outcome fast = {.reps = 4, .span_ns = 40}, slow = {.reps = 4, .span_ns = INT64_MAX / 2};
    harness_is(h, slot_first_width(&RULE, &fast) == 1000);
    harness_is(h, slot_first_width(&RULE, &slow) == 100000);

    harness_case(h, "a quarter of overruns is allowed");
    const struct slot_outcome quarter = {.reps = 8, .in_time = 8, .overruns = 2, .span_ns = 80000, .longest_ns = 3000};
    harness_is(h, slot_next_width(&RULE, 5000, &quarter) == 5000);
    harness_case(h, "with more of those that started in time, the slot grows after the span");
    const struct slot_outcome third = {.reps = 8, .in_time = 3, .overruns = 1, .span_ns = 60000};
    harness_is(h, slot_next_width(&RULE, 5000, &third) == 8250);
    harness_case(h, "a slot that is far too long halves, to at least twice the longest repetition");
    const struct slot_outcome brief = {.reps = 8, .span_ns = 39000, .longest_ns = 500};
    const struct slot_outcome middling = {.reps = 8, .span_ns = 39000, .longest_ns = 2000};
    harness_is(h, slot_next_width(&RULE, 5000, &brief) == 2500);
    harness_is(h, slot_next_width(&RULE, 5000, &middling) == 4400);
    harness_is(h, slot_next_width(&RULE, 1100, &brief) == 1100);
    harness_case(h, "a slot does not grow by late starts, and does not shrink without a valid repetition");
    const struct slot_outcome late = {.reps = 8, .span_ns = 39000};
    harness_is(h, slot_next_width(&RULE, 5000, &late) == 5000);
    harness_case(h, "growth is at least the factor and at most a doubling");
    const struct slot_outcome narrow = {.reps = 8, .in_time = 8, .overruns = 8, .span_ns = 8000};
    const struct slot_outcome wide = {.reps = 8, .in_time = 8, .overruns = 8, .span_ns = 4000000};
    harness_is(h, slot_next_width(&RULE, 5000, &narrow) == 5500);
    harness_is(h, slot_next_width(&RULE, 5000, &wide) == 10000);
    harness_is(h, slot_next_width(&RULE, 80000, &wide) == 100000);

    harness_case(h, "the cap falls to 32 times the need of a good batch, and does not rise again");
    struct slot_rule rule = RULE;
    const struct slot_outcome poor = {.reps = 8, .valid = 4, .longest_ns = 100};
    const struct slot_outcome good = {.reps = 8, .valid = 5, .longest_ns = 1000};
    const struct slot_outcome slower = {.reps = 8, .valid = 8, .longest_ns = 2000};
    slot_lower_cap(&rule, &poor);
    harness_is(h, rule.cap_ns == 100000);
    slot_lower_cap(&rule, &good);
    harness_is(h, rule.cap_ns == 33000);
    slot_lower_cap(&rule, &slower);
    harness_is(h, rule.cap_ns == 33000);
}

static void test_stop(struct harness *h)
{
    const struct stop_limits limits = {0.05, 10, 30, 100, 2.0};
    const struct stop_rule *const precise = stop_find("relative-error");
    const struct stop_rule *const reps = stop_find("reps");
    const struct stop_rule *const budget = stop_find("time");

    harness_case(h, "relative-error needs precision and valid repetitions");
    harness_is(h, precise->enough(&limits, &(struct stop_progress){16, 10, 0.0, 0.05}));
    harness_is(h, !precise->enough(&limits, &(struct stop_progress){16, 10, 0.0, 0.051}));
    harness_is(h, !precise->enough(&limits, &(struct stop_progress){16, 9, 0.0, 0.01}));
    harness_is(h, !precise->enough(&limits, &(struct stop_progress){16, 12, 0.0, NAN}));
    harness_case(h, "relative-error is limited by repetitions and by valid ones");
    harness_is(h, precise->enough(&limits, &(struct stop_progress){100, 0, 0.0, NAN}));
    harness_is(h, precise->enough(&limits, &(struct stop_progress){40, 30, 0.0, 0.9}));
    harness_case(h, "runs stops after repetitions or valid ones, whatever the precision");
    harness_is(h, !reps->enough(&limits, &(struct stop_progress){99, 29, 9.0, 0.0}));
    harness_is(h, reps->enough(&limits, &(struct stop_progress){99, 30, 0.0, 0.9}));
    harness_is(h, reps->reps_left(&limits, 96) == 4);
    harness_case(h, "time stops at the budget alone");
    harness_is(h, !budget->enough(&limits, &(struct stop_progress){5000, 5000, 1.9, 0.0}));
    harness_is(h, budget->enough(&limits, &(struct stop_progress){1, 0, 2.0, NAN}));
    harness_case(h, "an unknown rule is NULL");
    harness_is(h, stop_find("never") == NULL);
}

static void test_plan(struct harness *h)
{
    const struct stop_limits limits = {0.05, 50, 100, 1000, 2.0}, few = {0.05, 10, 30, 100, 2.0};
    const struct stop_rule *const precise = stop_find("relative-error");
    harness_case(h, "at most as many passes as a measurement has batches at least");
    harness_is(h, stop_plan(precise, &limits, 8, 1).passes == 1);
    harness_is(h, stop_plan(precise, &limits, 8, 4).passes == 4);
    harness_is(h, stop_plan(precise, &limits, 8, 100).passes == 7);
    harness_is(h, stop_plan(stop_find("reps"), &limits, 8, 100).passes == 13);
    harness_is(h, stop_plan(stop_find("time"), &limits, 8, 100).passes == 100);

    harness_case(h, "as many passes as an interval needs, if the limits permit");
    harness_is(h, stop_plan(precise, &few, 6, 8).passes == 5);
    harness_is(h, stop_plan(precise, &few, 8, 8).passes == 3);
    harness_is(h, stop_plan(precise, &few, 6, 3).passes == 3);
    harness_is(h, stop_plan(precise, &(struct stop_limits){0.05, 1, 4, 100, 2.0}, 8, 8).passes == 1);

    harness_case(h,
                 "the span is divided by the passes that a measurement may need, at most three times the first ones");
    harness_is(h, stop_plan(precise, &limits, 8, 8).spread == 13);
    harness_is(h, stop_plan(precise, &(struct stop_limits){0.05, 50, 9999, 9999, 2.0}, 8, 8).spread == 21);
    harness_is(h, stop_plan(stop_find("reps"), &limits, 8, 8).spread == 8);
    harness_is(h, stop_plan(precise, &limits, 8, 1).spread == 1);
}

static void test_passes(struct harness *h)
{
    const struct stop_limits limits = {0.05, 50, 100, 1000, 2.0};
    harness_case(h, "passes share the limits, and in the last one and after it these are as a whole");
    for (int64_t pass = 0; pass < 7; pass++) {
        const struct stop_limits share = stop_limits_in_pass(&limits, pass, 7);
        harness_is(h, share.min_valid == 50 * (pass + 1) / 7 && share.max_valid == 100 * (pass + 1) / 7);
    }
    for (int64_t pass = 6; pass < 9; pass++) {
        const struct stop_limits last = stop_limits_in_pass(&limits, pass, 7);
        harness_is(h, last.min_valid == 50 && last.max_valid == 100 && last.max_reps == 1000);
        harness_is(h, last.time_budget_s == 2.0 && last.relative_error == 0.05);
    }
}

/* The input of verdict ok, which the caller changes. */
static bool test_has_verdict(const struct verdict_input *variables, const char *expected)
{
    char reason[256];
    const char *const verdict = verdict_of(variables, reason, sizeof reason);
    return strcmp(verdict, expected) == 0 && (reason[0] == '\0') == (strcmp(expected, "ok") == 0);
}

static void test_passes_in_turns(struct harness *h)
{
    const struct stop_limits limits = {0.05, 10, 100, 400, 2.0}, share = stop_limits_of_pass(&limits, 8);
    harness_case(h, "in turns every pass has an equal share, rounded up");
    harness_is(h, share.min_valid == 2 && share.max_valid == 13 && share.max_reps == 50);
    harness_is_near(h, share.time_budget_s, 0.25, 1e-12);
    const struct stop_limits few = {0.05, 1, 3, 3, 2.0};
    harness_is(h, stop_limits_of_pass(&few, 8).max_reps == 1);
}

static void test_clock_verdicts(struct harness *h, const struct verdict_input *base)
{
    harness_case(h, "verdict clock-limited by an error that is certain, also on one host and for wait patterns");
    struct verdict_input variables = *base;
    variables.one_clock = variables.known_time = true;
    variables.clock_error_ns = variables.clock_certain_ns = 5000000;
    harness_is(h, test_has_verdict(&variables, "clock-limited"));
    harness_case(h, "verdict clock-limited by uncertain offsets, not on one host");
    variables = *base;
    variables.clock_error_ns = 3685;
    variables.clock_bound_ns = 6200;
    harness_is(h, test_has_verdict(&variables, "clock-limited"));
    variables.one_clock = true;
    harness_is(h, test_has_verdict(&variables, "ok"));
    variables = *base;
    variables.clock_bound_ns = 2100;
    harness_is(h, test_has_verdict(&variables, "clock-limited"));
    variables.one_clock = true;
    harness_is(h, test_has_verdict(&variables, "ok"));
}

static void test_verdict(struct harness *h)
{
    const struct statistics good = {
        .count = 20, .used = 10, .mean = 1000, .ci_low = 980, .ci_high = 1020, .median = 1000};
    const struct statistics none = {.mean = NAN, .median = NAN, .ci_low = NAN, .ci_high = NAN};
    const struct verdict_input base = {.statistics = &good,
                                       .reps = 24,
                                       .valid = 20,
                                       .min_valid = 10,
                                       .target_relative_error = 0.05,
                                       .timer_step_ns = 30,
                                       .clock_error_ns = 20,
                                       .clock_bound_ns = 150};
    struct verdict_input variables = base;
    harness_case(h, "verdict ok");
    harness_is(h, test_has_verdict(&variables, "ok"));
    harness_case(h, "verdict failed-check goes before all others");
    variables.check_failed = true;
    variables.valid = 0;
    harness_is(h, test_has_verdict(&variables, "failed-check"));
    harness_case(h, "verdict too-few-valid, also without any statistics");
    variables = base;
    variables.valid = 0;
    variables.statistics = &none;
    harness_is(h, test_has_verdict(&variables, "too-few-valid"));
    harness_case(h, "verdict disturbed, after too-few-valid and before all others");
    variables = base;
    variables.disturbed = true;
    variables.timer_step_ns = 1000;
    harness_is(h, test_has_verdict(&variables, "disturbed"));
    variables.valid = 0;
    harness_is(h, test_has_verdict(&variables, "too-few-valid"));
    harness_case(h, "verdict timer-limited, but not for a wait pattern");
    variables = base;
    variables.timer_step_ns = 1000;
    harness_is(h, test_has_verdict(&variables, "timer-limited"));
    variables.known_time = true;
    harness_is(h, test_has_verdict(&variables, "ok"));
    test_clock_verdicts(h, &base);
    harness_case(h, "verdict unstable by an interval three times too wide, only if precision is required");
    struct statistics wide = good;
    wide.ci_low = 840;
    wide.ci_high = 1160;
    variables = base;
    variables.statistics = &wide;
    harness_is(h, test_has_verdict(&variables, "unstable"));
    variables.target_relative_error = 0.0;
    harness_is(h, test_has_verdict(&variables, "ok"));
    harness_case(h, "verdict unstable by more of the longest overruns than are ignored");
    variables = base;
    variables.ignored = 5;
    variables.longest_overruns = 5;
    harness_is(h, test_has_verdict(&variables, "ok"));
    variables.longest_overruns = 6;
    harness_is(h, test_has_verdict(&variables, "unstable"));
    harness_case(h, "verdict unstable by different mean and median");
    variables = base;
    struct statistics skewed = good;
    skewed.mean = 1300;
    variables.statistics = &skewed;
    harness_is(h, test_has_verdict(&variables, "unstable"));
}

int main(void)
{
    struct harness h = {0};
    test_free_slot(&h);
    test_growth(&h);
    test_stop(&h);
    test_plan(&h);
    test_passes(&h);
    test_passes_in_turns(&h);
    test_verdict(&h);
    return harness_end(&h, "test_schedule");
}
