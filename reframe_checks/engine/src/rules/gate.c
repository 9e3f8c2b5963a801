/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.c: the reference of a launch, and what is off (see gate.h). */
#include "rules/gate.h"

#include "statistics/median.h"

#include <math.h>
#include <string.h>

/* Regimes differ by a factor of 3 and more; the readings of one wander by up to 1.5 to both sides. */
static const double GATE_FACTOR = 2.0;
static const double GATE_SPREADS = 5.0;
static const double GATE_SHARE = 0.3;
/* A median absolute deviation times this is the standard deviation of a normal distribution. */
static const double GATE_DEVIATION = 1.4826;

/* From at most GATE_LASTING readings, all above 0. */
static void gate_refer(struct gate *gate, const double *readings, size_t count)
{
    double values[GATE_LASTING];
    memcpy(values, readings, count * sizeof *values);
    gate->reference = statistics_median(values, count);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(log(readings[i] / gate->reference));
    const double spread = GATE_DEVIATION * statistics_median(values, count);
    gate->limit = gate->reference * fmax(GATE_FACTOR, exp(GATE_SPREADS * spread));
}

void gate_open(struct gate *gate, const double *readings, size_t count, double known_before)
{
    double known[GATE_LASTING];
    size_t found = 0;
    *gate = (struct gate){.reference = NAN, .limit = NAN};
    for (size_t i = 0; i < count && found < GATE_LASTING; i++)
        if (readings[i] > 0.0)
            known[found++] = readings[i];
    if (found == 0)
        return;
    gate_refer(gate, known, found);
    if (known_before * GATE_FACTOR < gate->reference) {
        gate->limit *= known_before / gate->reference;
        gate->reference = known_before;
    }
}

void gate_note(struct gate *gate, double reading)
{
    gate->recent[gate->noted++ % GATE_LASTING] = reading;
    if (gate->noted < GATE_LASTING)
        return;
    double values[GATE_LASTING];
    memcpy(values, gate->recent, sizeof values);
    if (!(statistics_median(values, GATE_LASTING) * GATE_FACTOR > gate->reference))
        gate_refer(gate, gate->recent, GATE_LASTING);
}

double gate_level(const struct gate *gate)
{
    double values[GATE_LASTING];
    const size_t count = gate->noted < GATE_LASTING ? gate->noted : GATE_LASTING;
    memcpy(values, gate->recent, count * sizeof *values);
    return count == 0 ? NAN : statistics_median(values, count);
}

bool gate_is_off(const struct gate *gate, double reading)
{
    return reading > gate->limit;
}

bool gate_may_wait(int64_t elapsed_ns, int64_t extra_ns)
{
    return (double)extra_ns <= GATE_SHARE * (double)(elapsed_ns - extra_ns);
}
