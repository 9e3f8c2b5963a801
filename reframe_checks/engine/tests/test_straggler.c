/* SPDX-License-Identifier: BSD-3-Clause */
/* test_straggler.c: the named stragglers, and the rate of false ones. */
#include "base/random.h"
#include "harness.h"
#include "statistics/straggler.h"

enum { TEST_RANKS = 16, TEST_TRIALS = 50, TEST_LAUNCHES = 2000 };

static void test_tail(struct harness *h)
{
    harness_case(h, "the exact tail, against sums by hand");
    /* 2 ranks of 3 trials, 3 failed: all three on one: 1 of C(6, 3) = 20; two or more: (1 + 9) of 20 */
    harness_is_near(h, straggler_tail(2, 3, 3, 3), 1.0 / 20.0, 1e-12);
    harness_is_near(h, straggler_tail(2, 3, 3, 2), 10.0 / 20.0, 1e-12);
    harness_is_near(h, straggler_tail(2, 3, 3, 1), 19.0 / 20.0, 1e-12);
    harness_case(h, "no failure, and failures of everyone, say nothing");
    harness_is(h, straggler_tail(4, 10, 7, 0) == 1.0);
    harness_is(h, straggler_tail(4, 10, 40, 10) == 1.0);
    harness_case(h, "many ranks and trials do not overflow");
    const double tail = straggler_tail(8192, 1000000, 5000000, 1200);
    harness_is(h, tail > 0.0 && tail < 1e-50);
}

static void test_named(struct harness *h)
{
    struct straggler all[TEST_RANKS];
    struct fault fault = {0};
    for (int i = 0; i < TEST_RANKS; i++)
        all[i] = (struct straggler){.id = i, .failures = {1, 2}};
    all[5].failures[STRAGGLER_LATE_START] = 20;
    all[9].failures[STRAGGLER_OVERRUN] = 25;
    harness_case(h, "the one that is late and the one that overruns are named, the worse one first");
    harness_is(h, stragglers_find(all, TEST_RANKS, TEST_TRIALS, &fault) == 2);
    harness_is(h, all[0].id == 9 && all[0].p[STRAGGLER_OVERRUN] < STRAGGLER_LEVEL);
    harness_is(h, all[1].id == 5 && all[1].p[STRAGGLER_LATE_START] < STRAGGLER_LEVEL);
    harness_is(h, all[0].p[STRAGGLER_LATE_START] == 1.0);
    harness_case(h, "one process has no rest to be compared with");
    harness_is(h, stragglers_find(all, 1, TEST_TRIALS, &fault) == 0);
}

/* All fail in 15 % of the trials: at most 1 % of the launches may name one. */
static void test_chance(struct harness *h)
{
    uint64_t state = 1;
    int launches = 0;
    for (int launch = 0; launch < TEST_LAUNCHES; launch++) {
        struct straggler all[TEST_RANKS];
        struct fault fault = {0};
        for (int i = 0; i < TEST_RANKS; i++) {
            all[i] = (struct straggler){.id = i};
            for (int t = 0; t < TEST_TRIALS; t++)
                for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
                    all[i].failures[kind] += random_below(&state, 100) < 15;
        }
        launches += stragglers_find(all, TEST_RANKS, TEST_TRIALS, &fault) > 0;
    }
    harness_case(h, "equal ranks are named in at most 1 % of the launches");
    harness_is(h, launches <= TEST_LAUNCHES / 100);
}

int main(void)
{
    struct harness h = {0};
    test_tail(&h);
    test_named(&h);
    test_chance(&h);
    return harness_end(&h, "test_straggler");
}
