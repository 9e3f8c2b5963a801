/* SPDX-License-Identifier: BSD-3-Clause */
/* test_gate.c: which readings belong to another regime, how much time may go for that, and when a row is given up. */
#include "harness.h"
#include "rules/gate.h"
#include "rules/patience.h"

#include <math.h>

enum { TEST_START = 15 };

/* Readings around a level, evenly from one below it by the factor to one above it by the factor. */
static void test_fill(double *readings, int count, double level, double factor)
{
    for (int i = 0; i < count; i++)
        readings[i] = level * pow(factor, 2.0 * i / (count - 1) - 1.0);
}

static void test_note_many(struct gate *gate, double reading, int count)
{
    for (int i = 0; i < count; i++)
        gate_note(gate, reading);
}

static void test_limit(struct harness *h)
{
    struct gate gate;
    double readings[TEST_START];
    harness_case(h, "a reading is off above the double of the reference");
    test_fill(readings, TEST_START, 100.0, 1.0);
    gate_open(&gate, readings, TEST_START);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
    harness_is(h, !gate_is_off(&gate, 200.0) && gate_is_off(&gate, 200.1));
    harness_is(h, !gate_is_off(&gate, 1.0) && !gate_is_off(&gate, NAN));
    harness_case(h, "some that were interrupted do not move it");
    for (int i = 0; i < 5; i++)
        readings[3 * i] = i % 2 ? NAN : 5000.0;
    gate_open(&gate, readings, TEST_START);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
    harness_is_near(h, gate.limit, 200.0, 1e-12);
    harness_case(h, "where readings of one regime differ by more, that sets the limit");
    test_fill(readings, TEST_START, 100.0, 1.3);
    gate_open(&gate, readings, TEST_START);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
    harness_is(h, !gate_is_off(&gate, 230.0) && gate_is_off(&gate, 310.0));
    harness_case(h, "where nothing is known nothing is off, until readings come");
    gate_open(&gate, readings, 0);
    harness_is(h, !gate_is_off(&gate, 1e9));
    test_note_many(&gate, 100.0, GATE_LASTING);
    harness_is(h, gate_is_off(&gate, 201.0));
}

static void test_reference(struct harness *h)
{
    struct gate gate;
    double readings[TEST_START];
    test_fill(readings, TEST_START, 400.0, 1.0);
    gate_open(&gate, readings, TEST_START);
    harness_case(h, "a launch that began in a bad regime takes the quiet one that lasts");
    test_note_many(&gate, 400.0, 100);
    test_note_many(&gate, 100.0, GATE_LASTING / 2 - 1);
    harness_is_near(h, gate.reference, 400.0, 1e-12);
    test_note_many(&gate, 100.0, GATE_LASTING / 2 + 1);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
    harness_is(h, gate_is_off(&gate, 400.0));
    harness_case(h, "and never a bad one, however long it lasts");
    test_note_many(&gate, 400.0, 1000);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
    harness_is(h, gate_is_off(&gate, 400.0) && !gate_is_off(&gate, 199.0));
    harness_case(h, "what is somewhat quieter is the same regime");
    test_note_many(&gate, 60.0, 1000);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
}

static void test_extra_time(struct harness *h)
{
    harness_case(h, "extra time is at most three tenths of all other time");
    harness_is(h, gate_may_wait(1300, 300));
    harness_is(h, !gate_may_wait(1300, 301));
    harness_is(h, gate_may_wait(0, 0) && !gate_may_wait(10, 10));
}

static void test_patience(struct harness *h)
{
    static const int64_t second = 1000000000;
    struct patience patience = {0};
    harness_case(h, "a row whose runs all start late is given up after two seconds");
    for (int batches = 1; batches <= 40; batches++) {
        patience_note(&patience, second / 20, 8, 8);
        harness_is(h, patience_is_over(&patience) == (batches == 40));
    }
    harness_case(h, "one whose runs mostly start in time is not, however long it lasts");
    patience = (struct patience){0};
    for (int batches = 0; batches < 1000; batches++)
        patience_note(&patience, second, 8, 3);
    harness_is(h, !patience_is_over(&patience));
    harness_case(h, "and no row before the schedule could adapt itself");
    patience = (struct patience){0};
    for (int batches = 1; batches <= 8; batches++) {
        patience_note(&patience, 10 * second, 8, 8);
        harness_is(h, patience_is_over(&patience) == (batches == 8));
    }
}

int main(void)
{
    struct harness h = {0};
    test_limit(&h);
    test_reference(&h);
    test_extra_time(&h);
    test_patience(&h);
    return harness_end(&h, "test_gate");
}
