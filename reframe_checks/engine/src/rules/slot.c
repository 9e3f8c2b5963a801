/* SPDX-License-Identifier: BSD-3-Clause */
/* slot.c: the arithmetic of the start schedule (see slot.h). */
#include "rules/slot.h"

enum { SLOT_AMPLE = 32 };

int64_t slot_next_free(int64_t now_ns, int64_t start_ns, int64_t width_ns, int64_t target)
{
    if (width_ns <= 0 || now_ns <= start_ns + target * width_ns)
        return target;
    return (now_ns - start_ns + width_ns - 1) / width_ns;
}

static int64_t slot_clamp(const struct slot_rule *rule, double width_ns)
{
    if (width_ns >= (double)rule->cap_ns)
        return rule->cap_ns;
    return width_ns <= (double)rule->floor_ns ? rule->floor_ns : (int64_t)width_ns;
}

/* gamma (tau' - tau) / k */
static double slot_target_width(const struct slot_rule *rule, const struct slot_outcome *batch)
{
    return rule->growth * (double)batch->span_ns / (double)batch->reps;
}

int64_t slot_first_width(const struct slot_rule *rule, const struct slot_outcome *warmup)
{
    const double single = rule->growth * (double)warmup->longest_ns;
    const double target = slot_target_width(rule, warmup);
    return slot_clamp(rule, target > single ? target : single);
}

/* Half of the width, but at least twice the need of the longest repetition; at most the width. */
static double slot_shorter_width(const struct slot_rule *rule, double width_ns, const struct slot_outcome *batch)
{
    const double ample = batch->longest_ns == 0 ? width_ns : 2.0 * rule->growth * (double)batch->longest_ns;
    const double half = 0.5 * width_ns;
    return ample < half ? half : ample < width_ns ? ample : width_ns;
}

void slot_lower_cap(struct slot_rule *rule, const struct slot_outcome *batch)
{
    const int64_t cap_ns = rule->floor_ns + SLOT_AMPLE * batch->longest_ns;
    if (2 * batch->valid > batch->reps && cap_ns < rule->cap_ns)
        rule->cap_ns = cap_ns;
}

int64_t slot_next_width(const struct slot_rule *rule, int64_t width_ns, const struct slot_outcome *batch)
{
    const double width = (double)width_ns;
    if ((double)batch->overruns <= rule->max_invalid * (double)batch->in_time)
        return slot_clamp(rule, slot_shorter_width(rule, width, batch));
    const double target = slot_target_width(rule, batch);
    const double min = rule->growth * width;
    const double max = 2.0 * width;
    return slot_clamp(rule, target < min ? min : target > max ? max : target);
}
