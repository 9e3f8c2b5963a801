/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overhead.h: what the engine itself adds to a time, measured as a row is: an empty operation under the launch's
 * scheme, in every pass.
 *
 * From the first start to its last end an empty operation takes what the engine adds at most: a reading of the clock
 * and a call on one process, and the spread of the starts. Counted from the last start on the spread is left out: that
 * is what it adds at least. Let process p start a[p] after the first one, and d[p] be the longest way from its start to
 * the last end of the operation. Then the time from the first start on is the largest a[p] + d[p], between the largest
 * d[p], the time of processes that start at once, and that plus the spread. So every time is too long by something
 * between the two: by the whole spread where everybody waits for everybody, as in a barrier. An operation that ends
 * earlier because a process starts later is the exception.
 */
#ifndef ISOCHRON_OVERHEAD_H
#define ISOCHRON_OVERHEAD_H

#include "measure/measure.h"

struct overhead {
    struct measure kept;    /* from pass to pass, on every process */
    struct measurement row; /* on rank 0 */
};

/* Collective: a pass over the empty operation, a batch as a rule; nothing once it has enough. */
int overhead_measure(const struct session *session, struct measure_pass pass, struct overhead *overhead,
                     struct fault *fault);

/* On rank 0, at the end: its statistics. */
void overhead_judge(const struct session *session, struct overhead *overhead);

void overhead_free(struct overhead *overhead);

#endif
