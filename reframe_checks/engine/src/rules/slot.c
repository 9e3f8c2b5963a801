/* SPDX-License-Identifier: BSD-3-Clause */
/* slot.c: the arithmetic of the start schedule (see slot.h). */
#include "rules/slot.h"

enum { SLOT_AMPLE = 32 };

int64_t slot_next_free(int64_t now_ns, int64_t start_ns, int64_t width_ns, int64_t wanted)
{
    if (width_ns <= 0 || now_ns <= start_ns + wanted * width_ns)
        return wanted;
    return (now_ns - start_ns + width_ns - 1) / width_ns;
}

static int64_t slot_clamp(const struct slot_rule *rule, double width_ns)
{
    if (width_ns >= (double)rule->cap_ns)
        return rule->cap_ns;
    return width_ns <= (double)rule->floor_ns ? rule->floor_ns : (int64_t)width_ns;
}

/* gamma (tau' - tau) / k */
static double slot_wanted_width(const struct slot_rule *rule, const struct slot_outcome *batch)
{
    return rule->growth * (double)batch->span_ns / (double)batch->runs;
}

int64_t slot_first_width(const struct slot_rule *rule, const struct slot_outcome *initial)
{
    const double alone = rule->growth * (double)initial->longest_ns;
    const double wanted = slot_wanted_width(rule, initial);
    return slot_clamp(rule, wanted > alone ? wanted : alone);
}

/* Half of the width, but twice what the longest run needs; never more than the width. */
static double slot_shorter_width(const struct slot_rule *rule, double width_ns, const struct slot_outcome *batch)
{
    const double ample = batch->longest_ns == 0 ? width_ns : 2.0 * rule->growth * (double)batch->longest_ns;
    const double half = 0.5 * width_ns;
    return ample < half ? half : ample < width_ns ? ample : width_ns;
}

void slot_learn(struct slot_rule *rule, const struct slot_outcome *batch)
{
    const int64_t cap_ns = rule->floor_ns + SLOT_AMPLE * batch->longest_ns;
    if (2 * batch->valid > batch->runs && cap_ns < rule->cap_ns)
        rule->cap_ns = cap_ns;
}

int64_t slot_next_width(const struct slot_rule *rule, int64_t width_ns, const struct slot_outcome *batch)
{
    const double width = (double)width_ns;
    if ((double)batch->overruns <= rule->max_invalid * (double)batch->in_time)
        return slot_clamp(rule, slot_shorter_width(rule, width, batch));
    const double wanted = slot_wanted_width(rule, batch);
    const double least = rule->growth * width;
    const double most = 2.0 * width;
    return slot_clamp(rule, wanted < least ? least : wanted > most ? most : wanted);
}
