/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernels.h: the operations of the candle: one simple algorithm each, the same for ever.
 *
 * Any change that can change a time (an algorithm, a size of a cell or a piece, how processes wait) changes
 * CANDLE_VERSION: times of different versions are not compared.
 */
#ifndef ISOCHRON_KERNELS_H
#define ISOCHRON_KERNELS_H

#include "candle/collectives.h"

#include <stddef.h>

enum { CANDLE_VERSION = 2 };

enum kernel {
    KERNEL_NOTHING, /* two readings of the clock */
    KERNEL_BARRIER, /* this and the next: collectives.h */
    KERNEL_BCAST,
    KERNEL_GATHER,
    KERNEL_SCATTER,
    KERNEL_REDUCE,
    KERNEL_ALLREDUCE,
    KERNEL_REDUCE_SCATTER,
    KERNEL_ALLGATHER,
    KERNEL_ALLTOALL,
    KERNEL_SCAN,
    KERNEL_ONE_WAY,       /* from rank 0 to rank 1 */
    KERNEL_PING_PONG,     /* between ranks 0 and 1 */
    KERNEL_PING_PING,     /* the same, both at once */
    KERNEL_PING_PONG_ALL, /* between the ranks of each pair 0-1, 2-3, ... */
    KERNEL_PING_PING_ALL,
    KERNEL_ONE_WAY_ALL, /* from the first to the second rank of each pair */
    KERNEL_CHAIN,       /* to the next rank, from the previous one */
    KERNEL_NEIGHBOURS,  /* the same, then the other way */
    KERNEL_STAR,        /* rank 0 with each other one */
    KERNEL_FAN_IN,      /* rank 0 from each other one */
    KERNEL_FAN_OUT,     /* rank 0 to each other one */
    KERNEL_GRID,        /* with the four neighbours on a periodic grid */
    KERNELS
};

/* As in records and --list. */
extern const char *const KERNEL_NAMES[];

/* Return the bytes that each buffer needs, for blocks or a vector of that many bytes. */
size_t kernels_bytes(enum kernel kernel, int processes, size_t bytes);

/* Perform the kernel on all processes. What each has in `out` then is stated in tests/test_kernels.c. */
void kernels_perform(enum kernel kernel, struct link *link, const struct kernel_buffers *buffers, size_t bytes);

/* Rank 0 has the largest of each value over all processes; other values are undefined afterwards. work: as values. */
void kernels_maximum(struct link *link, int64_t *values, int64_t *work, size_t count);

#endif
