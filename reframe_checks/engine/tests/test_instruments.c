/* SPDX-License-Identifier: BSD-3-Clause */
/* test_instruments.c: what is read of the machine, that nobody waits for long, and how often it is read. */
#include "harness.h"
#include "instruments/cache_line.h"
#include "instruments/counters.h"
#include "instruments/pace.h"
#include "instruments/processor.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEST_SHORT_NS = 1000 };
static const int64_t TEST_LONG_NS = 60000000000; /* nobody waits so long in vain */

static void test_pace(struct harness *h)
{
    struct pace pace = {.times = 99};
    harness_case(h, "a reading pauses for a multiple of what the last one took");
    pace_note(&pace, 1000, 1010);
    harness_is(h, !pace_is_due(&pace, 1010 + 989));
    harness_is(h, pace_is_due(&pace, 1010 + 990));
    harness_case(h, "and at least for the least pause");
    pace.least_ns = 5000;
    harness_is(h, !pace_is_due(&pace, 1010 + 4999));
    harness_is(h, pace_is_due(&pace, 1010 + 5000));
    harness_case(h, "all readings together take their share of the time, also where some take long");
    int64_t now = 0, spent = 0;
    pace = (struct pace){.times = 99};
    for (int i = 0; i < 1000; i++) {
        const int64_t took = 10 + i % 7 * 100;
        while (!pace_is_due(&pace, now))
            now += 10;
        pace_note(&pace, now, now + took);
        now += took;
        spent += took;
    }
    now += 99 * pace.took_ns;
    harness_is(h, 100 * spent <= now);
}

static void test_lonely(struct harness *h)
{
    struct cache_line line;
    char name[CACHE_LINE_NAME];
    harness_case(h, "who is alone gives up");
    cache_line_make(&line, name);
    harness_is(h, line.word != NULL && access(name, R_OK) == 0);
    harness_is(h, isnan(cache_line_read(&line, 1, TEST_SHORT_NS)));
    harness_case(h, "a line whose name is gone is still there, and nobody else can join it");
    struct cache_line other;
    cache_line_unname(name);
    cache_line_join(&other, name);
    harness_is(h, other.word == NULL && access(name, F_OK) != 0);
    harness_is(h, isnan(cache_line_read(&line, 2, TEST_SHORT_NS)));
    cache_line_close(&line);
    harness_case(h, "without a line there is no reading");
    cache_line_join(&other, "");
    harness_is(h, isnan(cache_line_read(&other, 1, TEST_LONG_NS)));
}

static void test_pair(struct harness *h)
{
    struct cache_line line, other;
    char name[CACHE_LINE_NAME];
    cache_line_make(&line, name);
    cache_line_join(&other, name);
    cache_line_unname(name);
    harness_case(h, "two processes that did not meet in one reading meet in the next");
    harness_is(h, isnan(cache_line_read(&line, 1, TEST_SHORT_NS)));
    harness_is(h, isnan(cache_line_read(&other, 2, TEST_SHORT_NS)));
    const pid_t child = fork();
    if (child == 0)
        _exit(cache_line_read(&other, 3, TEST_LONG_NS) > 0.0 && cache_line_read(&other, 4, TEST_LONG_NS) > 0.0 ? 0 : 1);
    harness_is(h, cache_line_read(&line, 3, TEST_LONG_NS) > 0.0);
    harness_is(h, cache_line_read(&line, 4, TEST_LONG_NS) > 0.0);
    int status = 1;
    harness_is(h, waitpid(child, &status, 0) == child && status == 0);
    cache_line_close(&line);
    cache_line_close(&other);
}

static void test_processor(struct harness *h)
{
    void *const memory = processor_open_copies();
    harness_case(h, "computing and copying take time");
    harness_is(h, processor_compute() > 0.0);
    harness_is(h, memory == NULL || processor_copy(memory) > 0.0);
    harness_case(h, "without memory nothing is copied");
    harness_is(h, isnan(processor_copy(NULL)));
    processor_close_copies(memory);
}

static void test_counters(struct harness *h)
{
    struct counters counters;
    counters_open(&counters);
    harness_case(h, "counters do not go down");
    const double switches = counters_switches(), waited = counters_waited_ns(&counters),
                 steal = counters_steal_ns(&counters);
    harness_is(h, switches >= 0.0 && counters_switches() >= switches);
    harness_is(h, counters.schedstat < 0 || (waited >= 0.0 && counters_waited_ns(&counters) >= waited));
    harness_is(h, counters.stat < 0 || (steal >= 0.0 && counters_steal_ns(&counters) >= steal));
    counters_close(&counters);
    harness_case(h, "what cannot be read is no number");
    harness_is(h, isnan(counters_waited_ns(&counters)) && isnan(counters_steal_ns(&counters)));
    harness_is(h, isnan(counters_frequency_mhz(&counters)));
}

int main(void)
{
    struct harness h = {0};
    test_pace(&h);
    test_lonely(&h);
    test_pair(&h);
    test_processor(&h);
    test_counters(&h);
    return harness_end(&h, "test_instruments");
}
