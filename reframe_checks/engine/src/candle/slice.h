/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slice.h: one case in one pass: warm-up batches, then a batch of repetitions.
 *
 * Each repetition begins after a barrier. Its time is the largest of the durations on all processes, each by its own
 * clock: clocks need not agree. A warm-up batch is repeated while its median falls by 2 % or more, since others have
 * used the caches since the last slice. If the repetitions would take longer than half a second, there are fewer, at
 * least 4.
 */
#ifndef ISOCHRON_SLICE_H
#define ISOCHRON_SLICE_H

#include "candle/cases.h"
#include "candle/kernels.h"

#include <stdint.h>

struct slice {
    int64_t t_ns;     /* CLOCK_MONOTONIC when it began */
    double median_ns; /* of the repetitions; on rank 0 */
    int64_t reps, warmup_reps;
    int64_t slept_cpu_ns, waited_ns; /* before the turn: the largest of all processes, and of rank 0 */
};

/* Times of a batch, and buffers for all cases. */
struct slice_space {
    int64_t batch;
    int64_t *times_ns, *work_ns; /* batch values each */
    double *sorted_ns;
    struct kernel_buffers buffers;
};

/* Allocate; to be closed in any case. A system fault if memory is short. */
int slice_open(struct slice_space *space, int64_t batch, const struct candle_cases *cases, int processes,
               struct fault *fault);
void slice_close(struct slice_space *space);

/* Measure a slice on all processes; its numbers of the turn are set already. The fault of the link, if it failed. */
int slice_measure(struct link *link, struct slice_space *space, const struct candle_case *item, struct slice *slice,
                  struct fault *fault);

#endif
