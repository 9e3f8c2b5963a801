/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * straggler.h: which of many failed more often than the rest, and not by chance.
 *
 * One-sided exact test of one against all others (R. A. Fisher: The logic of inductive inference, 1935): given how many
 * trials failed in all, the failures of one are hypergeometric when all are alike. Holm's correction (S. Holm: A simple
 * sequentially rejective multiple test procedure, 1979) over everyone and both kinds of failure.
 */
#ifndef ISOCHRON_STRAGGLER_H
#define ISOCHRON_STRAGGLER_H

#include "base/fault.h"

#include <stddef.h>
#include <stdint.h>

enum straggler_kind { STRAGGLER_LATE_START, STRAGGLER_OVERRUN, STRAGGLER_KINDS };

/* Corrected p below which someone is named. */
#define STRAGGLER_LEVEL 0.01

struct straggler {
    int64_t id;                        /* of a rank or a host */
    int64_t failures[STRAGGLER_KINDS]; /* trials that failed */
    double p[STRAGGLER_KINDS];         /* corrected; set by stragglers_find */
};

/* P(X >= one_failed) for one of count that had trials each, failed of them in all. */
double straggler_tail(int64_t count, int64_t trials, int64_t failed, int64_t one_failed);

/* Sorts those that are named to the front and returns how many they are; out of memory is a fault. */
size_t stragglers_find(struct straggler *all, size_t count, int64_t trials, struct fault *fault);

#endif
