/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * straggler.h: ranks or hosts that fail significantly more often than the rest.
 *
 * One-sided exact test of one against all others (R. A. Fisher: The logic of inductive inference, 1935): given the
 * total number of failed trials, the failures of one are hypergeometric if all are equal. Holm's correction (S. Holm: A
 * simple sequentially rejective multiple test procedure, 1979) is over all of them and both kinds of failure.
 */
#ifndef ISOCHRON_STRAGGLER_H
#define ISOCHRON_STRAGGLER_H

#include "base/fault.h"

#include <stddef.h>
#include <stdint.h>

enum straggler_kind { STRAGGLER_LATE_START, STRAGGLER_OVERRUN, STRAGGLER_KINDS };

/* Corrected p value below which a rank or host is named. */
#define STRAGGLER_LEVEL 0.01

struct straggler {
    int64_t id;                        /* of a rank or a host */
    int64_t failures[STRAGGLER_KINDS]; /* trials that failed */
    double p[STRAGGLER_KINDS];         /* corrected p values; set by stragglers_find */
};

/* Return P(X >= one_failed) for one of count members with trials each, of which failed in total. */
double straggler_tail(int64_t count, int64_t trials, int64_t failed, int64_t one_failed);

/* Sort the named ones to the front and return their number; a fault if memory is short. */
size_t stragglers_find(struct straggler *all, size_t count, int64_t trials, struct fault *fault);

#endif
