/* SPDX-License-Identifier: BSD-3-Clause */
/* regime_monitor.c: the present regime, and the time spent waiting for the quiet one (see regime_monitor.h). */
#include "probes/regime_monitor.h"

#include "instruments/moment.h"
#include "statistics/statistics.h"

#include <math.h>
#include <string.h>

enum { REGIME_MONITOR_ONSETS = 4 };
/* The extra time that one launch may use of what others have left. */
static const int64_t REGIME_MONITOR_LOAN_NS = 10000000000;

void regime_monitor_open(struct regime_monitor *monitor, const struct probes *probes, const char *history_path,
                         uint32_t library)
{
    *monitor = (struct regime_monitor){
        .history = probe_history_read(history_path, library),
        .history_path = history_path,
        .library = library,
        .level_ns = NAN,
        .begin_ns = moment_now(),
    };
    gate_open(&monitor->gate, probes->first_lines, PROBES_REFERENCES, monitor->history.line_ns);
    double lines[PROBES_REFERENCES];
    memcpy(lines, probes->first_lines, sizeof lines);
    monitor->uncertain = gate_is_disturbed(&monitor->gate, statistics_median(lines, PROBES_REFERENCES));
}

void regime_monitor_save(const struct regime_monitor *monitor)
{
    const struct probe_history_entry launch = {
        .library = monitor->library,
        .line_ns = gate_level(&monitor->gate),
        .elapsed_ns = moment_now() - monitor->begin_ns,
        .extra_ns = monitor->extra_ns,
    };
    if (launch.line_ns > 0.0)
        probe_history_add(monitor->history_path, &launch);
}

void regime_monitor_begin(struct regime_monitor *monitor)
{
    monitor->counted_until_ns = moment_now();
    monitor->onsets = 0;
}

static void regime_monitor_stop_waiting(struct regime_monitor *monitor, int64_t now_ns)
{
    if (monitor->waiting)
        monitor->extra_ns += now_ns - monitor->counted_until_ns;
    monitor->waiting = false;
    monitor->counted_until_ns = now_ns;
}

bool regime_monitor_note(struct regime_monitor *monitor, int64_t parts, double cache_line_ns)
{
    if (!(parts & PROBE_OFTEN))
        return false;
    const bool has_reading = !isnan(cache_line_ns);
    const bool disturbed = has_reading ? gate_is_disturbed(&monitor->gate, cache_line_ns) : monitor->disturbed;
    monitor->onsets += disturbed && !monitor->disturbed && parts & PROBE_REPEATED;
    monitor->uncertain = disturbed != monitor->disturbed && !(parts & PROBE_REPEATED);
    if (has_reading)
        gate_note(&monitor->gate, cache_line_ns);
    if (monitor->uncertain)
        return false;
    monitor->disturbed = disturbed;
    if (has_reading)
        monitor->level_ns = cache_line_ns;
    if (!disturbed)
        regime_monitor_stop_waiting(monitor, moment_now());
    return true;
}

bool regime_monitor_may_wait(struct regime_monitor *monitor)
{
    const int64_t now_ns = moment_now();
    const int64_t elapsed_ns = now_ns - monitor->begin_ns,
                  extra_ns = monitor->extra_ns + now_ns - monitor->counted_until_ns;
    monitor->waiting = true;
    if (monitor->onsets <= REGIME_MONITOR_ONSETS &&
        gate_may_wait(monitor->history.elapsed_ns + elapsed_ns, monitor->history.extra_ns + extra_ns) &&
        (extra_ns <= REGIME_MONITOR_LOAN_NS || gate_may_wait(elapsed_ns, extra_ns)))
        return true;
    regime_monitor_stop_waiting(monitor, now_ns);
    return false;
}
