/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c: the regime as it is known, and the time that was spent on waiting for another (see watch.h). */
#include "weather/watch.h"

#include "instruments/moment.h"

#include <math.h>

enum { WATCH_ONSETS = 4 };

void watch_open(struct watch *watch, const struct weather *weather)
{
    *watch = (struct watch){.level_ns = NAN, .begin_ns = moment_now()};
    gate_open(&watch->gate, weather->first_lines, WEATHER_REFERENCES);
}

void watch_begin(struct watch *watch)
{
    watch->calm_ns = moment_now();
    watch->onsets = 0;
}

static void watch_stop_waiting(struct watch *watch, int64_t now_ns)
{
    if (watch->waiting)
        watch->extra_ns += now_ns - watch->calm_ns;
    watch->waiting = false;
    watch->calm_ns = now_ns;
}

bool watch_note(struct watch *watch, int64_t parts, double cache_line_ns)
{
    if (!(parts & WEATHER_OFTEN))
        return false;
    const bool known = !isnan(cache_line_ns);
    const bool off = known ? gate_is_off(&watch->gate, cache_line_ns) : watch->off;
    watch->onsets += off && !watch->off && parts & WEATHER_SURE;
    watch->doubt = off != watch->off && !(parts & WEATHER_SURE);
    if (known)
        gate_note(&watch->gate, cache_line_ns);
    if (watch->doubt)
        return false;
    watch->off = off;
    if (known)
        watch->level_ns = cache_line_ns;
    if (!off)
        watch_stop_waiting(watch, moment_now());
    return true;
}

bool watch_wait(struct watch *watch)
{
    const int64_t now_ns = moment_now();
    watch->waiting = true;
    if (watch->onsets <= WATCH_ONSETS &&
        gate_may_wait(now_ns - watch->begin_ns, watch->extra_ns + now_ns - watch->calm_ns))
        return true;
    watch_stop_waiting(watch, now_ns);
    return false;
}
