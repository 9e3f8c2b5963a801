/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pool.h: threads of this process that execute a function together, each once, with its number.
 *
 * The caller is thread 0. Between executions the others watch one cache line, so that they begin a transfer of it after
 * the caller; an execution ends when the last one has ended. Threads that are not pinned yield the processor while they
 * wait, since there may be fewer processors than threads. Signals reach the caller alone.
 */
#ifndef ISOCHRON_POOL_H
#define ISOCHRON_POOL_H

#include "base/fault.h"

#include <stddef.h>

struct pool;

/* Bytes of a cache line. */
enum { POOL_LINE = 64 };

/* Return zero memory on cache lines of its own, to be freed by free; NULL if memory is short. */
void *pool_allocate(size_t bytes);

/*
 * Start count - 1 threads and pin all, the caller included, to one processor each; NULL: none is pinned. Set *pool to
 * NULL and a fault if that fails.
 */
int pool_open(struct pool **pool, int count, const int *processors, struct fault *fault);

/* Execute work(context, 0) to work(context, count - 1) at the same time; return when all have ended. */
void pool_run(struct pool *pool, void (*work)(void *context, int thread), void *context);

/* End the threads, and let the caller run where it could before. NULL: nothing happens. */
void pool_close(struct pool *pool);

#endif
