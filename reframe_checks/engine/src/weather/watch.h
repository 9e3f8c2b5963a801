/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watch.h: watching the regime of the machine while rows are measured (--probes gate). Rank 0 keeps it.
 *
 * What is watched is the cache line, which knows nothing of the MPI library. One reading is no regime: where it
 * contradicts the state, the next ones follow at once (WEATHER_SURE), and their median decides.
 *
 * Waiting for quiet is bounded by a share of the time of all launches so far; one launch may take some seconds of what
 * the others have left.
 */
#ifndef ISOCHRON_WATCH_H
#define ISOCHRON_WATCH_H

#include "rules/gate.h"
#include "rules/past.h"
#include "weather/weather.h"

#include <stdbool.h>
#include <stdint.h>

struct watch {
    struct gate gate;
    struct past past; /* what earlier launches knew */
    const char *past_path;
    uint32_t library;
    bool off;        /* the regime is not the launch's quiet one */
    bool doubt;      /* the last reading contradicts that: read again */
    double level_ns; /* the last reading without doubt; NaN before the first */
    int64_t begin_ns;
    int64_t calm_ns; /* what was measured until then counts */
    bool waiting;    /* for quiet: all time since calm_ns is extra */
    int64_t onsets;  /* of other regimes in this row */
    int64_t extra_ns;
};

/* past_path: the file of past.h, or NULL. */
void watch_open(struct watch *watch, const struct weather *weather, const char *past_path, uint32_t library);

/* Adds what this launch knows, for those after it. */
void watch_remember(const struct watch *watch);

/* A row begins. */
void watch_begin(struct watch *watch);

/* The reading of these parts; whether the regime is without doubt now. */
bool watch_note(struct watch *watch, int64_t parts, double cache_line_ns);

/*
 * In another regime: whether to wait for quiet once more. If not, waiting is over: there has been too much of it, or
 * quiet has ended so often in this row that what is measured may be the reason.
 */
bool watch_wait(struct watch *watch);

#endif
