/* SPDX-License-Identifier: BSD-3-Clause */
/* pace.c: arithmetic of the pauses between readings (see pace.h). */
#include "instruments/pace.h"

bool pace_is_due(const struct pace *pace, int64_t now_ns)
{
    const int64_t pause_ns = pace->times * pace->took_ns;
    return now_ns - pace->ended_ns >= (pause_ns > pace->least_ns ? pause_ns : pace->least_ns);
}

void pace_note(struct pace *pace, int64_t begin_ns, int64_t end_ns)
{
    pace->ended_ns = end_ns;
    pace->took_ns = end_ns - begin_ns;
}
