/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threads.h: an operation of threads: the call that every thread of this process makes.
 *
 * Each thread has a copy of the call with blocks of its own in the buffers, one thread after another, and tags of its
 * own; with FORM_THREADS_COMMS also a communicator of its own. The threads exist while the call is open.
 */
#ifndef ISOCHRON_CALL_THREADS_H
#define ISOCHRON_CALL_THREADS_H

#include "base/fault.h"
#include "call/call.h"
#include "threads/pool.h"

#include <stdalign.h>
#include <stdbool.h>

/* The call of one thread, on cache lines of its own. */
struct thread_call {
    alignas(POOL_LINE) struct call call;
    int result; /* of MPI, in the last execution */
};

struct threads {
    int count;
    struct thread_call *calls;
    struct pool *pool;
};

/* Collective over call->comm, after call_open: make the calls of all threads; other operations have none. */
int threads_open(struct call *call, struct fault *fault);

/* Give each thread its part of the buffers in use, before MPI_IN_PLACE replaces one of them, and the root. */
void threads_bind(const struct call *call);

/* Execute the operation in every thread, for the execute of an operation; return the first MPI error. */
int threads_execute(struct call *call);

/* Collective: end the threads and free their calls, before call_release. */
void threads_close(struct call *call);

/* Return the number of calls that move data, and call i of them: those of the threads, or the call itself. */
static inline int threads_count(const struct call *call)
{
    return call->threads == NULL ? 1 : call->threads->count;
}

static inline const struct call *threads_call(const struct call *call, int i)
{
    return call->threads == NULL ? call : &call->threads->calls[i].call;
}

#endif
