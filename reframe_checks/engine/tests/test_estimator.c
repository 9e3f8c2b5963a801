/* SPDX-License-Identifier: BSD-3-Clause */
/* test_estimator.c: the offset estimators on synthetic exchanges with a known offset. */
#include "estimate/estimator.h"
#include "harness.h"

#include <stddef.h>
#include <stdlib.h>

/* A small generator, so that the test is the same everywhere (Knuth's MMIX constants). */
static int64_t test_random(uint64_t *state, int64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((*state >> 33) % (uint64_t)below);
}

/* Exchanges with these one-way delays and up to noise more; the reference's clock is offset ahead of the client's. */
static struct estimate test_exchange(const char *name, int64_t offset, int64_t there, int64_t back, int64_t noise,
                                     int count)
{
    const struct estimator *const estimator = estimator_find(name);
    struct estimate estimate = estimator_begin();
    uint64_t state = 42;
    int64_t now = 1000;
    for (int i = 0; i < count; i++) {
        struct exchange exchange = {.sent = now};
        now += there + (noise > 0 ? test_random(&state, noise) : 0);
        exchange.remote = now + offset;
        now += back + (noise > 0 ? test_random(&state, noise) : 0);
        exchange.received = now;
        estimator->add(&estimate, &exchange);
        now += 100;
    }
    return estimate;
}

static int64_t test_error(const struct estimate *estimate, int64_t offset)
{
    return llabs(estimate->offset_ns - offset);
}

static void test_symmetric(struct harness *h, const char *name)
{
    const int64_t offsets[] = {0, 1, -1, 5000000, -123456789, INT64_C(1700000000000000000)};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const struct estimate estimate = test_exchange(name, offsets[i], 500, 500, 0, 10);
        harness_is(h, test_error(&estimate, offsets[i]) == 0);
        harness_is(h, estimate.bound_ns == 500);
        harness_is(h, estimate.exchanges == 10);
    }
}

static void test_asymmetric(struct harness *h, const char *name)
{
    const struct estimate estimate = test_exchange(name, 7000, 900, 300, 0, 10);
    harness_is(h, test_error(&estimate, 7000) == 300);
    harness_is(h, estimate.bound_ns >= 300);
}

static void test_bound_always_holds(struct harness *h, const char *name)
{
    uint64_t state = 7;
    for (int i = 0; i < 20000; i++) {
        const int64_t offset = test_random(&state, 2000000001) - 1000000000;
        const int64_t there = 1 + test_random(&state, 3000);
        const int64_t back = 1 + test_random(&state, 3000);
        const struct estimate estimate =
            test_exchange(name, offset, there, back, 1 + test_random(&state, 5000), 1 + (int)test_random(&state, 20));
        harness_is(h, test_error(&estimate, offset) <= estimate.bound_ns);
        harness_is(h, estimate.bound_ns >= 0);
    }
}

static void test_envelope_is_tighter(struct harness *h)
{
    harness_case(h, "envelope: the best way there and the best way back need not be of one exchange");
    const struct estimator *const envelope = estimator_find("envelope");
    struct estimate estimate = estimator_begin();
    /* true offset 1000; way there 100 with way back 900, then the other way round */
    harness_is(h, envelope->add(&estimate, &(struct exchange){0, 1100, 1000}));
    harness_is(h, envelope->add(&estimate, &(struct exchange){5000, 6900, 6000}));
    harness_is(h, estimate.offset_ns == 1000 && estimate.bound_ns == 100);
    harness_case(h, "envelope: an exchange that tightens nothing is no improvement");
    harness_is(h, !envelope->add(&estimate, &(struct exchange){9000, 10500, 10000}));

    harness_case(h, "min-rtt: the shortest round trip wins, a longer one changes nothing");
    const struct estimator *const shortest = estimator_find("min-rtt");
    estimate = estimator_begin();
    harness_is(h, shortest->add(&estimate, &(struct exchange){0, 1500, 1000}));
    harness_is(h, shortest->add(&estimate, &(struct exchange){2000, 3100, 2200}));
    harness_is(h, !shortest->add(&estimate, &(struct exchange){3000, 9900, 3900}));
    harness_is(h, estimate.offset_ns == 1000);
}

int main(void)
{
    struct harness h = {0};
    harness_case(&h, "min-rtt: exact on equal ways, at any offset");
    test_symmetric(&h, "min-rtt");
    harness_case(&h, "envelope: exact on equal ways, at any offset");
    test_symmetric(&h, "envelope");
    harness_case(&h, "min-rtt: unequal ways bias by half their difference, within the bound");
    test_asymmetric(&h, "min-rtt");
    harness_case(&h, "envelope: unequal ways bias by half their difference, within the bound");
    test_asymmetric(&h, "envelope");
    harness_case(&h, "min-rtt: the bound holds in 20000 random cases");
    test_bound_always_holds(&h, "min-rtt");
    harness_case(&h, "envelope: the bound holds in 20000 random cases");
    test_bound_always_holds(&h, "envelope");
    test_envelope_is_tighter(&h);
    harness_case(&h, "an unknown estimator is NULL");
    harness_is(&h, estimator_find("guess") == NULL);
    return harness_end(&h, "test_estimator");
}
