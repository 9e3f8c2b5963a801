/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.c: the reference of a launch, and the readings that it excludes (see gate.h). */
#include "rules/gate.h"

#include "statistics/statistics.h"

#include <math.h>
#include <string.h>

/* Regimes differ by a factor of 3 and more; readings within one vary by a factor of up to 1.5 in both directions. */
static const double GATE_FACTOR = 2.0;
static const double GATE_SPREADS = 5.0;
static const double GATE_SHARE = 0.3;
/* A median absolute deviation times this is the standard deviation of a normal distribution. */
static const double GATE_DEVIATION = 1.4826;

/* From at most GATE_WINDOW readings, all above 0. */
static void gate_set_reference(struct gate *gate, const double *readings, size_t count)
{
    double values[GATE_WINDOW];
    memcpy(values, readings, count * sizeof *values);
    gate->reference = statistics_median(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(log(readings[i] / gate->reference));
    const double spread = GATE_DEVIATION * statistics_median(values, count);
    gate->limit = gate->reference * fmax(GATE_FACTOR, exp(GATE_SPREADS * spread));
}

void gate_open(struct gate *gate, const double *readings, size_t count, double history)
{
    double positive[GATE_WINDOW];
    size_t used = 0;
    *gate = (struct gate){.reference = NAN, .limit = NAN};
    for (size_t i = 0; i < count && used < GATE_WINDOW; i++)
        if (readings[i] > 0.0)
            positive[used++] = readings[i];
    if (used == 0)
        return;
    gate_set_reference(gate, positive, used);
    if (history * GATE_FACTOR < gate->reference) {
        gate->limit *= history / gate->reference;
        gate->reference = history;
    }
}

void gate_note(struct gate *gate, double reading)
{
    gate->recent[gate->noted++ % GATE_WINDOW] = reading;
    if (gate->noted < GATE_WINDOW)
        return;
    double values[GATE_WINDOW];
    memcpy(values, gate->recent, sizeof values);
    if (!(statistics_median(values, GATE_WINDOW) * GATE_FACTOR > gate->reference))
        gate_set_reference(gate, gate->recent, GATE_WINDOW);
}

double gate_level(const struct gate *gate)
{
    double values[GATE_WINDOW];
    const size_t count = gate->noted < GATE_WINDOW ? gate->noted : GATE_WINDOW;
    memcpy(values, gate->recent, count * sizeof *values);
    return count == 0 ? NAN : statistics_median(values, count);
}

bool gate_is_disturbed(const struct gate *gate, double reading)
{
    return reading > gate->limit;
}

bool gate_may_wait(int64_t elapsed_ns, int64_t extra_ns)
{
    return (double)extra_ns <= GATE_SHARE * (double)(elapsed_ns - extra_ns);
}
