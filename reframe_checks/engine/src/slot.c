/* SPDX-License-Identifier: BSD-3-Clause */
/* slot.c: the arithmetic of the start schedule (see slot.h). */
#include "slot.h"

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
    return slot_clamp(rule, slot_wanted_width(rule, initial));
}

int64_t slot_next_width(const struct slot_rule *rule, int64_t width_ns, const struct slot_outcome *batch)
{
    if ((double)batch->invalid <= rule->max_invalid * (double)batch->runs)
        return width_ns;
    const double wanted = slot_wanted_width(rule, batch);
    const double least = rule->growth * (double)width_ns;
    const double most = 2.0 * (double)width_ns;
    return slot_clamp(rule, wanted < least ? least : wanted > most ? most : wanted);
}
