/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regime.h: a made-up regime, for tests: the hidden option --test-weather regime:FIRST:COUNT:FACTOR
 *
 * A cache line takes 100 ns in every reading, and FACTOR times that in COUNT readings from number FIRST on; the first
 * reading of a launch has the number 1, and 16 are taken before anything is measured.
 */
#ifndef ISOCHRON_REGIME_H
#define ISOCHRON_REGIME_H

#include "base/fault.h"

#include <stdbool.h>
#include <stdint.h>

struct regime {
    bool given;
    int64_t first, count;
    double factor;
};

/* text NULL: there is none. */
int regime_parse(const char *text, struct regime *regime, struct fault *fault);

/* What the reading of that number finds, in ns. */
double regime_line(const struct regime *regime, uint64_t number);

#endif
