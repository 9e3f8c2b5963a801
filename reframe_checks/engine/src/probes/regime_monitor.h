/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regime_monitor.h: tracks the regime of the machine during the measurements (--probes gate), on rank 0.
 *
 * It tracks the cache line, which is independent of the MPI library. One reading is not a regime: if it contradicts the
 * state, 5 more follow at once (PROBE_REPEATED), and their median decides.
 *
 * Waiting for the quiet regime is bounded by a share of the time of all launches in the history; one launch may use up
 * to 10 s of what the others have left.
 */
#ifndef ISOCHRON_REGIME_MONITOR_H
#define ISOCHRON_REGIME_MONITOR_H

#include "probes/probes.h"
#include "rules/gate.h"
#include "rules/probe_history.h"

#include <stdbool.h>
#include <stdint.h>

struct regime_monitor {
    struct gate gate;
    struct probe_history history; /* of earlier launches */
    const char *history_path;
    uint32_t library;
    bool disturbed;  /* the regime is not the quiet one */
    bool uncertain;  /* the last reading contradicts that: read again */
    double level_ns; /* the last certain reading; NaN before the first */
    int64_t begin_ns;
    int64_t counted_until_ns; /* time until then is not extra */
    bool waiting;             /* for the quiet regime: time since then is extra */
    int64_t onsets;           /* of disturbed regimes during this measurement */
    int64_t extra_ns;
};

/* Open the monitor; history_path is the file of probe_history.h, or NULL. */
void regime_monitor_open(struct regime_monitor *monitor, const struct probes *probes, const char *history_path,
                         uint32_t library);

/* Append this launch to the history. */
void regime_monitor_save(const struct regime_monitor *monitor);

/* Begin a measurement. */
void regime_monitor_begin(struct regime_monitor *monitor);

/* Record a reading of these parts; return true if the regime is certain now. */
bool regime_monitor_note(struct regime_monitor *monitor, int64_t parts, double cache_line_ns);

/*
 * In a disturbed regime: return true if waiting for quiet may continue. Otherwise waiting ends: it has taken too long,
 * or quiet has ended so often during this measurement that the measured operation may be the cause.
 */
bool regime_monitor_may_wait(struct regime_monitor *monitor);

#endif
