/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overhead.h: the time that the engine adds, measured as any operation is: an empty operation under the launch's
 * scheme, in every pass.
 *
 * From its first start to its last end an empty operation takes the most that the engine adds: a reading of the clock
 * and a call on one process, and the skew of the starts. Counted from the last start, without the skew, it takes the
 * least that the engine adds. Let process p start a[p] after the first one, and d[p] be the longest path from its start
 * to the last end of the operation. Then the time from the first start is the largest a[p] + d[p], which is between the
 * largest d[p], the time of processes that start together, and that plus the skew. Every time is therefore too long by
 * an amount between the two: by the full skew if every process waits for all others, as in a barrier. An operation that
 * ends earlier because a process starts later is an exception.
 */
#ifndef ISOCHRON_OVERHEAD_H
#define ISOCHRON_OVERHEAD_H

#include "measure/measure_batch.h"

struct overhead {
    struct measure state;           /* from pass to pass, on every process */
    struct measurement measurement; /* on rank 0 */
};

/* Collective: one pass over the empty operation, usually one batch; without effect once it is complete. */
int overhead_measure(const struct session *session, struct measure_pass pass, struct overhead *overhead,
                     struct fault *fault);

/* Rank 0, at the end: fill its summary. */
void overhead_summarise(const struct session *session, struct overhead *overhead);

void overhead_free(struct overhead *overhead);

#endif
