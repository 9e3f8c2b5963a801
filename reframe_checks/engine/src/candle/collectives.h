/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collectives.h: collective operations among all processes, by one simple algorithm each; trees are from rank 0.
 *
 * D. Hensgen, R. Finkel, U. Manber: Two algorithms for barrier synchronization, 1988 (dissemination). J. Bruck et al.:
 * Efficient algorithms for all-to-all communications in multiport message-passing systems, 1997. R. Thakur, R.
 * Rabenseifner, W. Gropp: Optimization of collective communication operations in MPICH, 2005 (the others).
 */
#ifndef ISOCHRON_COLLECTIVES_H
#define ISOCHRON_COLLECTIVES_H

#include "candle/link.h"

#include <stdbool.h>
#include <stddef.h>

/* Reductions are sums of floats; of signed bytes if the vector or block is not divisible by 4. */
struct kernel_buffers {
    char *in, *out, *work; /* of kernels_bytes each */
};

/* All wait for all: dissemination. */
void collective_barrier(struct link *link);

/* All have what rank 0 has: a binomial tree, as bcast, gather, scatter and reduce. */
void collective_broadcast(struct link *link, void *data, size_t bytes);

/* bytes is the size of the vector, or of each process's block. */
void collective_bcast(struct link *link, const struct kernel_buffers *buffers, size_t bytes);
void collective_gather(struct link *link, const struct kernel_buffers *buffers, size_t bytes);
void collective_scatter(struct link *link, const struct kernel_buffers *buffers, size_t bytes);
void collective_reduce(struct link *link, const struct kernel_buffers *buffers, size_t bytes);

/* Recursive doubling; a large vector by a ring of scattered reductions and one of gathering. */
void collective_allreduce(struct link *link, const struct kernel_buffers *buffers, size_t bytes);

/* A ring. */
void collective_reduce_scatter(struct link *link, const struct kernel_buffers *buffers, size_t bytes);

/* Bruck's algorithm; large blocks by a ring. */
void collective_allgather(struct link *link, const struct kernel_buffers *buffers, size_t bytes);

/* Pairwise exchanges. */
void collective_alltoall(struct link *link, const struct kernel_buffers *buffers, size_t bytes);

/* The sum over all ranks up to this one: recursive doubling. */
void collective_scan(struct link *link, const struct kernel_buffers *buffers, size_t bytes);

#endif
