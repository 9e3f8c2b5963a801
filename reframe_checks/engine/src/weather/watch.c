/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c: the regime as it is known, and the time that was spent on waiting for another (see watch.h). */
#include "weather/watch.h"

#include "instruments/moment.h"

#include "statistics/median.h"

#include <math.h>
#include <string.h>

enum { WATCH_ONSETS = 4 };
/* Of the extra time that other launches have left, for one launch. */
static const int64_t WATCH_LOAN_NS = 10000000000;

void watch_open(struct watch *watch, const struct weather *weather, const char *past_path, uint32_t library)
{
    *watch = (struct watch){
        .past = past_read(past_path, library),
        .past_path = past_path,
        .library = library,
        .level_ns = NAN,
        .begin_ns = moment_now(),
    };
    gate_open(&watch->gate, weather->first_lines, WEATHER_REFERENCES, watch->past.line_ns);
    double lines[WEATHER_REFERENCES];
    memcpy(lines, weather->first_lines, sizeof lines);
    watch->doubt = gate_is_off(&watch->gate, statistics_median(lines, WEATHER_REFERENCES));
}

void watch_remember(const struct watch *watch)
{
    const struct past_launch launch = {
        .library = watch->library,
        .line_ns = gate_level(&watch->gate),
        .elapsed_ns = moment_now() - watch->begin_ns,
        .extra_ns = watch->extra_ns,
    };
    if (launch.line_ns > 0.0)
        past_add(watch->past_path, &launch);
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
    const int64_t own_ns = now_ns - watch->begin_ns, extra_ns = watch->extra_ns + now_ns - watch->calm_ns;
    watch->waiting = true;
    if (watch->onsets <= WATCH_ONSETS &&
        gate_may_wait(watch->past.elapsed_ns + own_ns, watch->past.extra_ns + extra_ns) &&
        (extra_ns <= WATCH_LOAN_NS || gate_may_wait(own_ns, extra_ns)))
        return true;
    watch_stop_waiting(watch, now_ns);
    return false;
}
