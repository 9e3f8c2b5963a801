/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * synthetic_clock_spec.h: the words of the hidden option --test-clock KEY=NUMBER,...
 *
 * Every rank (or node) gets a clock of its own over the common one, and one rank can be spoilt after the
 * synchronisation:
 *   seed             of all that follows
 *   offset-s         offsets are uniform within +- this many seconds
 *   drift-ppm        rates are uniform within +- this
 *   noise-ns         every reading is followed by a delay, exponential with this mean: noise of network and system
 *   reading-ns       every reading is followed by a delay of this length: a timer that is slow to read
 *   node             1: the ranks of a node share a clock
 *   one-clock        1: the hosts are namespaces of one machine and have its clock (else one host only)
 *   pause-s          waits so long between synchronisation and runs
 *   false-rank, false-offset-us, false-drift-ppm   what is added to the clock of one rank after the synchronisation,
 *   false-after-s    so long after it, and
 *   false-for-s      for so long; 0: for ever
 */
#ifndef ISOCHRON_SYNTHETIC_CLOCK_SPEC_H
#define ISOCHRON_SYNTHETIC_CLOCK_SPEC_H

#include "base/fault.h"

#include <stdbool.h>

struct synthetic_clock_spec {
    bool given;
    double seed, offset_s, drift_ppm, noise_ns, reading_ns, node, one_clock, pause_s;
    double false_rank, false_offset_us, false_drift_ppm, false_after_s, false_for_s;
};

int synthetic_clock_parse(const char *text, struct synthetic_clock_spec *spec, struct fault *fault);

#endif
