/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * synthetic_clock.h: clocks that are wrong by a known amount, so that what a synchroniser finds can be held against the
 * truth.
 *
 * For tests, on machines where all processes really read one clock: a simulator or one host.
 */
#ifndef ISOCHRON_SYNTHETIC_CLOCK_H
#define ISOCHRON_SYNTHETIC_CLOCK_H

#include "base/fault.h"
#include "timer/timer.h"
#include "words/synthetic_clock_spec.h"

#include <stdbool.h>
#include <stdint.h>

/* A clock over the common one: reading = common + offset + drift * common, and what is false while it is spoilt. */
struct synthetic_clock {
    struct timer_kind kind; /* that of the timer, but for the reading */
    const struct timer_kind *common;
    double offset_ns, drift;
    double false_offset_ns, false_drift;
    int64_t false_since_ns, false_until_ns; /* by the common clock; since 0: never false */
    double noise_ns;
    int64_t reading_ns;
    uint64_t random;
};

/* Collective over the team: puts the test clock before the timer, which is open. */
int synthetic_clock_start(const struct synthetic_clock_spec *spec, const struct team *team,
                          struct synthetic_clock *test, struct timer *timer, struct fault *fault);

/* Collective over the team: spoils the rank that the specification names. */
int synthetic_clock_spoil(const struct synthetic_clock_spec *spec, const struct team *team,
                          struct synthetic_clock *test, const struct timer *timer, struct fault *fault);

/*
 * At one moment: *own_ns is what the timer of this process reads, *root_ns what that of rank 0 reads. Rank 0 is not
 * spoilt.
 */
void synthetic_clock_truth(const struct synthetic_clock_spec *spec, const struct synthetic_clock *test,
                           const struct timer *timer, int64_t *own_ns, int64_t *root_ns);

#endif
