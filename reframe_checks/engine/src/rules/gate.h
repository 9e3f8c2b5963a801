/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gate.h: distinguishes the launch's quiet regime from others by readings of a probe.
 *
 * The reference is the median of the readings at the start of the launch, or the level of earlier launches if that is
 * less than half of it. If later readings are lower for a whole window, the launch began in a disturbed regime, and
 * their median becomes the reference. A reading is disturbed if it exceeds a multiple of the reference: twice, or more
 * if readings within one regime spread further.
 *
 * The extra time, for waiting and for repeating measurements, is bounded by a share of all other time.
 */
#ifndef ISOCHRON_GATE_H
#define ISOCHRON_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A level that holds for this number of consecutive readings is a regime. */
enum { GATE_WINDOW = 32 };

struct gate {
    double reference; /* NaN: there are no readings, and none is disturbed */
    double limit;     /* a reading above this is disturbed */
    double recent[GATE_WINDOW];
    size_t noted;
};

/* Open the gate with the readings at the start, of which NaN are ignored, and the level of earlier launches or NaN. */
void gate_open(struct gate *gate, const double *readings, size_t count, double history);

/* Record a reading, which is not NaN. */
void gate_note(struct gate *gate, double reading);

/* Return the median of the newest readings; NaN without readings. */
double gate_level(const struct gate *gate);

/* Return true if the reading is from a regime other than the quiet one; false for NaN. */
bool gate_is_disturbed(const struct gate *gate, double reading);

/* Return true if extra_ns out of elapsed_ns leaves room for more extra time. */
bool gate_may_wait(int64_t elapsed_ns, int64_t extra_ns);

#endif
