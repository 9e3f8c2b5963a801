/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * activity.h: what this process measures just now, for the message of a process that ends in it. Needs no MPI.
 *
 * A launch with many operations that a library ends is worth little unless it is known which of them did it.
 */
#ifndef ISOCHRON_ACTIVITY_H
#define ISOCHRON_ACTIVITY_H

#include "base/fault.h"

#include <stdint.h>

/* Of one process; all functions accept NULL and then do nothing. */
struct activity;

/*
 * From now on, a signal that would end this process while it measures is told on standard error first, with the rank:
 * `isochron-engine: rank 1: signal 11 while measuring bcast of 8 bytes`. Then it has the effect that it had before.
 * Only for signals that occur in this thread, which then has an alternate signal stack. *activity is to be closed.
 */
int activity_open(int rank, struct activity **activity, struct fault *fault);

/* The process begins to measure an operation; NULL: it measures none any more. */
void activity_set(struct activity *activity, const char *operation, int64_t bytes);

/* Return ` while measuring OPERATION of N bytes`; empty outside measurements. A signal handler may call it. */
const char *activity_text(const struct activity *activity);

/* Signals have the effects that they had before. */
void activity_close(struct activity *activity);

#endif
