/* SPDX-License-Identifier: BSD-3-Clause */
/* slice.c: warm-up and repetitions (see slice.h). */
#include "candle/slice.h"

#include "instruments/moment.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_WARMUPS = 8, SLICE_WARMUP_SHARE = 4, SLICE_MIN_REPS = 4, SLICE_ALIGNMENT = 4096 };
static const double SLICE_LIMIT_NS = 5e8;
static const double SLICE_FALL = 0.02;

static size_t slice_buffer_bytes(const struct candle_cases *cases, int processes)
{
    size_t largest = 1;
    for (size_t i = 0; i < cases->count; i++) {
        const size_t bytes = kernels_bytes(cases->items[i].operation.kernel, processes, cases_bytes(&cases->items[i]));
        largest = bytes > largest ? bytes : largest;
    }
    return (largest + SLICE_ALIGNMENT - 1) / SLICE_ALIGNMENT * SLICE_ALIGNMENT;
}

int slice_open(struct slice_space *space, int64_t batch, const struct candle_cases *cases, int processes,
               struct fault *fault)
{
    const size_t bytes = slice_buffer_bytes(cases, processes), count = (size_t)batch;
    *space = (struct slice_space){.batch = batch};
    space->times_ns = calloc(2 * count, sizeof *space->times_ns);
    space->sorted_ns = calloc(count, sizeof *space->sorted_ns);
    space->buffers.in = aligned_alloc(SLICE_ALIGNMENT, 3 * bytes);
    if (space->times_ns == NULL || space->sorted_ns == NULL || space->buffers.in == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for buffers of %zu bytes", bytes);
    memset(space->buffers.in, 0, 3 * bytes);
    space->work_ns = space->times_ns + count;
    space->buffers.out = space->buffers.in + bytes;
    space->buffers.work = space->buffers.out + bytes;
    return 0;
}

void slice_close(struct slice_space *space)
{
    free(space->times_ns);
    free(space->sorted_ns);
    free(space->buffers.in);
    *space = (struct slice_space){0};
}

static void slice_execute(struct link *link, const struct slice_space *space, const struct candle_case *item)
{
    const size_t bytes = cases_bytes(item);
    for (int i = 0; i < item->operation.messages; i++)
        kernels_perform(item->operation.kernel, link, &space->buffers, bytes);
    if (item->operation.then_barrier)
        collective_barrier(link);
}

/* Perform repetitions; return their median on rank 0. */
static double slice_batch(struct link *link, struct slice_space *space, const struct candle_case *item, int64_t reps)
{
    for (int64_t i = 0; i < reps && link->fault.code == FAULT_NONE; i++) {
        collective_barrier(link);
        const int64_t begin_ns = moment_now();
        slice_execute(link, space, item);
        space->times_ns[i] = moment_now() - begin_ns;
    }
    kernels_maximum(link, space->times_ns, space->work_ns, (size_t)reps);
    for (int64_t i = 0; i < reps; i++)
        space->sorted_ns[i] = (double)space->times_ns[i];
    return statistics_median(space->sorted_ns, (size_t)reps);
}

/* Rank 0: return how many repetitions there may be. */
static int64_t slice_affordable(double median_ns, int64_t batch)
{
    const double affordable = SLICE_LIMIT_NS / fmax(median_ns, 1.0);
    return affordable >= (double)batch ? batch : affordable < SLICE_MIN_REPS ? SLICE_MIN_REPS : (int64_t)affordable;
}

/* Set the number of repetitions as well; rank 0 decides for all. */
static void slice_warm_up(struct link *link, struct slice_space *space, const struct candle_case *item,
                          struct slice *slice)
{
    const int64_t reps = space->batch / SLICE_WARMUP_SHARE;
    struct {
        int64_t reps;
        bool again;
    } decision = {.again = true};
    double previous = HUGE_VAL;
    for (int i = 0; i < SLICE_WARMUPS && decision.again; i++) {
        const double median = slice_batch(link, space, item, reps);
        decision.reps = slice_affordable(median, space->batch);
        decision.again = median < (1.0 - SLICE_FALL) * previous && decision.reps == space->batch;
        previous = median;
        slice->warmup_reps += reps;
        collective_broadcast(link, &decision, sizeof decision);
    }
    slice->reps = decision.reps;
}

int slice_measure(struct link *link, struct slice_space *space, const struct candle_case *item, struct slice *slice,
                  struct fault *fault)
{
    kernels_maximum(link, &slice->slept_cpu_ns, space->work_ns, 1);
    slice_warm_up(link, space, item, slice);
    slice->median_ns = slice_batch(link, space, item, slice->reps);
    if (link->fault.code != FAULT_NONE)
        fault_set(fault, link->fault.code, "%s", link->fault.text);
    return (int)fault->code;
}
