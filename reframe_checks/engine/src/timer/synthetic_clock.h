/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * synthetic_clock.h: clocks with a known error, against which tests compare the result of a synchroniser.
 *
 * For machines on which all processes read one clock: a simulator or one host.
 */
#ifndef ISOCHRON_SYNTHETIC_CLOCK_H
#define ISOCHRON_SYNTHETIC_CLOCK_H

#include "base/fault.h"
#include "option_values/synthetic_clock_spec.h"
#include "timer/timer.h"

#include <stdbool.h>
#include <stdint.h>

/* reading = common + offset + drift * common, plus the false part between false_since_ns and false_until_ns. */
struct synthetic_clock {
    struct timer_kind kind; /* of the timer, except for the reading */
    const struct timer_kind *common;
    double offset_ns, drift;
    double false_offset_ns, false_drift;
    int64_t false_since_ns, false_until_ns; /* on the common clock; since 0: never false */
    double noise_ns;
    int64_t reading_ns;
    uint64_t random;
};

/* Collective over the team: replace the open timer by the synthetic clock on top of it. */
int synthetic_clock_start(const struct synthetic_clock_spec *spec, const struct team *team,
                          struct synthetic_clock *synthetic, struct timer *timer, struct fault *fault);

/* Collective over the team: make the clock of the specified rank false. */
int synthetic_clock_falsify(const struct synthetic_clock_spec *spec, const struct team *team,
                            struct synthetic_clock *synthetic, const struct timer *timer, struct fault *fault);

/*
 * Set *local_ns and *root_ns to simultaneous readings of the clocks of this process and of rank 0, whose clock is never
 * false.
 */
void synthetic_clock_truth(const struct synthetic_clock_spec *spec, const struct synthetic_clock *synthetic,
                           const struct timer *timer, int64_t *local_ns, int64_t *root_ns);

#endif
