/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regime.h: made-up weather, for tests: the hidden option --test-probes
 *
 * regime:FIRST:COUNT:FACTOR: a cache line takes 100 ns in every reading, and FACTOR times that in COUNT readings from
 * number FIRST on; the first reading of a launch has the number 1, and 16 are taken before anything is measured, on
 * several hosts 32.
 * blocked:FIRST: from the reading with that number on no datagram passes between hosts; 0: never.
 */
#ifndef ISOCHRON_REGIME_H
#define ISOCHRON_REGIME_H

#include "base/fault.h"

#include <stdbool.h>
#include <stdint.h>

struct regime {
    bool given; /* a regime of the cache line */
    bool blocked;
    int64_t first, count;
    double factor;
};

/* text NULL: there is none. */
int regime_parse(const char *text, struct regime *regime, struct fault *fault);

/* Whether datagrams do not pass in the reading of that number; 0: before the first. */
bool regime_blocks(const struct regime *regime, uint64_t number);

/* What the reading of that number finds, in ns. */
double regime_line(const struct regime *regime, uint64_t number);

#endif
