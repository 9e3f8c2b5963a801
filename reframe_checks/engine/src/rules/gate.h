/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gate.h: in which regime of the machine a reading of the weather was taken: the launch's quiet one or another.
 *
 * The reference is the median of the readings at the start of the launch, or what earlier launches found where that is
 * less than half of it. Where later readings are quieter for long, the launch began in a bad regime, and their median
 * becomes the reference. A reading is off when it is above a multiple of the reference: the double, or more where
 * readings of one regime differ by more.
 *
 * Extra time, for waiting and for measuring again, is bounded by a share of all other time.
 */
#ifndef ISOCHRON_GATE_H
#define ISOCHRON_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many readings in a row are a regime that lasts. */
enum { GATE_LASTING = 32 };

struct gate {
    double reference; /* NaN: nothing is known, and nothing is off */
    double limit;     /* above this a reading is off */
    double recent[GATE_LASTING];
    size_t noted;
};

/* From the readings at the start, NaN among them left out, and what is known from before, or NaN. */
void gate_open(struct gate *gate, const double *readings, size_t count, double known);

/* Takes note of one more reading, not NaN. */
void gate_note(struct gate *gate, double reading);

/* The median of the newest readings; before the first, and where nothing is known, NaN. */
double gate_level(const struct gate *gate);

/* Whether it was taken in another regime; false for NaN. */
bool gate_is_off(const struct gate *gate, double reading);

/* Whether there may be more extra time, after so much of it among all. */
bool gate_may_wait(int64_t elapsed_ns, int64_t extra_ns);

#endif
