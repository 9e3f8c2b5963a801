/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * synthetic_clock_spec.h: the keys of the hidden option --test-clock KEY=NUMBER,...
 *
 * Every rank (or node) gets a synthetic clock, derived from the common one; the clock of one rank can be made false
 * after the synchronisation:
 *   seed             of the random numbers
 *   offset-s         offsets are uniform within +- this many seconds
 *   drift-ppm        drifts are uniform within +- this
 *   noise-ns         mean of an exponential delay after every reading: noise of network and system
 *   reading-ns       constant delay after every reading: a slow timer
 *   node             1: the ranks of a node share a clock
 *   one-clock        1: the hosts are namespaces of one machine and have its clock (otherwise one host only)
 *   pause-s          seconds between the synchronisation and the first repetition
 *   false-rank, false-offset-us, false-drift-ppm   the rank with the false clock, and what is added to its clock
 *   false-after-s    seconds from the synchronisation to the begin of the error
 *   false-for-s      duration of the error; 0: unlimited
 */
#ifndef ISOCHRON_SYNTHETIC_CLOCK_SPEC_H
#define ISOCHRON_SYNTHETIC_CLOCK_SPEC_H

#include "base/fault.h"

#include <stdbool.h>

struct synthetic_clock_spec {
    bool present;
    double seed, offset_s, drift_ppm, noise_ns, reading_ns, node, one_clock, pause_s;
    double false_rank, false_offset_us, false_drift_ppm, false_after_s, false_for_s;
};

/* Parse the text; a usage fault if it is not a list of KEY=NUMBER. */
int synthetic_clock_parse(const char *text, struct synthetic_clock_spec *spec, struct fault *fault);

#endif
