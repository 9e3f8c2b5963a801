/* SPDX-License-Identifier: BSD-3-Clause */
/* test_gate.c: readings of a disturbed regime, the time spent on them, and abandoning a measurement. */
#include "harness.h"
#include "rules/gate.h"
#include "rules/probe_history.h"
#include "rules/stop.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEST_START = 15 };

/* Fill in readings around a level, evenly spaced on a logarithmic scale from level / factor to level * factor. */
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
    harness_case(h, "a reading is disturbed above twice the reference");
    test_fill(readings, TEST_START, 100.0, 1.0);
    gate_open(&gate, readings, TEST_START, NAN);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
    harness_is(h, !gate_is_disturbed(&gate, 200.0) && gate_is_disturbed(&gate, 200.1));
    harness_is(h, !gate_is_disturbed(&gate, 1.0) && !gate_is_disturbed(&gate, NAN));
    harness_case(h, "a few interrupted readings do not change it");
    for (int i = 0; i < 5; i++)
        readings[3 * i] = i % 2 ? NAN : 5000.0;
    gate_open(&gate, readings, TEST_START, NAN);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
    harness_is_near(h, gate.limit, 200.0, 1e-12);
    harness_case(h, "if readings of one regime spread further, the limit is higher");
    test_fill(readings, TEST_START, 100.0, 1.3);
    gate_open(&gate, readings, TEST_START, NAN);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
    harness_is(h, !gate_is_disturbed(&gate, 230.0) && gate_is_disturbed(&gate, 310.0));
    harness_case(h, "without readings none is disturbed");
    gate_open(&gate, readings, 0, NAN);
    harness_is(h, !gate_is_disturbed(&gate, 1e9));
    test_note_many(&gate, 100.0, GATE_WINDOW);
    harness_is(h, gate_is_disturbed(&gate, 201.0));
}

static void test_reference(struct harness *h)
{
    struct gate gate;
    double readings[TEST_START];
    test_fill(readings, TEST_START, 400.0, 1.0);
    gate_open(&gate, readings, TEST_START, NAN);
    harness_case(h, "a launch that began in a bad regime takes the quiet one that lasts");
    test_note_many(&gate, 400.0, 100);
    test_note_many(&gate, 100.0, GATE_WINDOW / 2 - 1);
    harness_is_near(h, gate.reference, 400.0, 1e-12);
    test_note_many(&gate, 100.0, GATE_WINDOW / 2 + 1);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
    harness_is(h, gate_is_disturbed(&gate, 400.0));
    harness_case(h, "and never a bad one, however long it lasts");
    test_note_many(&gate, 400.0, 1000);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
    harness_is(h, gate_is_disturbed(&gate, 400.0) && !gate_is_disturbed(&gate, 199.0));
    harness_case(h, "a slightly quieter level is the same regime");
    test_note_many(&gate, 60.0, 1000);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
}

static void test_history_level(struct harness *h)
{
    struct gate gate;
    double readings[TEST_START];
    test_fill(readings, TEST_START, 400.0, 1.0);
    harness_case(h, "the level of earlier launches is the reference if it is less than half");
    gate_open(&gate, readings, TEST_START, 100.0);
    harness_is_near(h, gate.reference, 100.0, 1e-12);
    harness_is(h, gate_is_disturbed(&gate, 400.0) && !gate_is_disturbed(&gate, 199.0));
    harness_is(h, isnan(gate_level(&gate)));
    test_note_many(&gate, 390.0, 5);
    harness_is_near(h, gate_level(&gate), 390.0, 1e-12);
    harness_case(h, "but not if it is similar or higher");
    gate_open(&gate, readings, TEST_START, 250.0);
    harness_is_near(h, gate.reference, 400.0, 1e-12);
    gate_open(&gate, readings, TEST_START, 4000.0);
    harness_is_near(h, gate.reference, 400.0, 1e-12);
    harness_case(h, "nor is it of use to a launch that reads nothing");
    gate_open(&gate, readings, 0, 100.0);
    harness_is(h, !gate_is_disturbed(&gate, 1e9));
}

static void test_history(struct harness *h)
{
    char path[] = "/tmp/isochron-history-XXXXXX";
    const int descriptor = mkstemp(path);
    harness_case(h, "the history is empty for a new file, no file, and a missing file");
    harness_is(h, isnan(probe_history_read(path, 7).line_ns) && isnan(probe_history_read(NULL, 7).line_ns));
    harness_is(h,
               isnan(probe_history_read("/nowhere/at/all", 7).line_ns) && probe_history_read(NULL, 7).elapsed_ns == 0);
    harness_case(h, "the lower median of the launches of one library, the time of all");
    static const double lines[] = {400.0, 80.0, 90.0, 410.0};
    for (int i = 0; i < 4; i++)
        probe_history_add(path, &(struct probe_history_entry){7, lines[i], 1000, 10 * i});
    probe_history_add(path, &(struct probe_history_entry){8, 300.0, 500, 0});
    probe_history_add(NULL, &(struct probe_history_entry){7, 1.0, 1, 1});
    struct probe_history history = probe_history_read(path, 7);
    harness_is_near(h, history.line_ns, 90.0, 1e-12);
    harness_is(h, history.elapsed_ns == 4500 && history.extra_ns == 60);
    harness_is_near(h, probe_history_read(path, 8).line_ns, 300.0, 1e-12);
    harness_case(h, "lines that are damaged or torn are left out");
    static const char damaged[] = "7 nan 1 1\n7 -5 1 1\n7 80 1 2\nwords\n00000007 20 1000 0 more\n00000007 10 1000";
    harness_is(h, lseek(descriptor, 0, SEEK_END) > 0);
    harness_is(h, write(descriptor, damaged, sizeof damaged - 1) == (ssize_t)sizeof damaged - 1);
    history = probe_history_read(path, 7);
    harness_is_near(h, history.line_ns, 90.0, 1e-12);
    harness_is(h, history.elapsed_ns == 4500);
    harness_case(h, "of many launches the newest count");
    harness_is(h, write(descriptor, "\n", 1) == 1);
    for (int i = 0; i < 64; i++)
        probe_history_add(path, &(struct probe_history_entry){7, 200.0, 1000, 0});
    harness_is_near(h, probe_history_read(path, 7).line_ns, 200.0, 1e-12);
    close(descriptor);
    unlink(path);
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
    harness_case(h, "a measurement with late starts only is abandoned after two seconds");
    for (int batches = 1; batches <= 40; batches++) {
        patience_note(&patience, second / 20, 8, 8);
        harness_is(h, patience_is_over(&patience) == (batches == 40));
    }
    harness_case(h, "one whose repetitions mostly start in time is not, however long it takes");
    patience = (struct patience){0};
    for (int batches = 0; batches < 1000; batches++)
        patience_note(&patience, second, 8, 3);
    harness_is(h, !patience_is_over(&patience));
    harness_case(h, "and none before the schedule could adapt");
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
    test_history_level(&h);
    test_history(&h);
    test_extra_time(&h);
    test_patience(&h);
    return harness_end(&h, "test_gate");
}
