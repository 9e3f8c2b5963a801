/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * buffers.h: the memory that operations send from and receive into, as sets of one send and one receive buffer.
 *
 * Every page is touched and zero before the first repetition, except in shared memory: the processes of a simulator are
 * one program, and large buffers whose contents are not checked can be one piece of memory for all.
 * Warm: two sets. The second call of an operation uses the other one, so that it does not benefit from what the first
 * call registered or cached for its buffers; all counted repetitions use one. A simulator has neither, and one set.
 * Cold: a ring of sets that is twice as large as the last-level cache; every repetition takes the next set, after more
 * memory than the cache holds has been used. Sets begin on separate pages, which no prefetcher reaches.
 */
#ifndef ISOCHRON_BUFFERS_H
#define ISOCHRON_BUFFERS_H

#include "base/fault.h"
#include "call/call.h"

struct buffers_policy {
    size_t alignment;   /* a power of two */
    size_t cache_bytes; /* of the last-level cache for cold buffers, 0 for warm ones */
    bool shared;        /* large buffers may be shared by the processes of a simulator */
};

/* The same buffer of every set. */
struct buffers_ring {
    char *memory;
    void *block;   /* the allocation that contains memory */
    size_t bytes;  /* of one buffer */
    size_t stride; /* from one set to the next */
};

struct buffers {
    struct buffers_ring send, recv;
    size_t sets;
    size_t next; /* the set that buffers_next takes */
    bool cold;
    int64_t mapped_bytes;   /* of all sets, including alignment */
    int64_t first_touch_ns; /* duration of touching all pages */
};

int buffers_open(struct buffers *buffers, const struct call *call, const struct buffers_policy *policy,
                 struct fault *fault);

/*
 * Collective, for a one-sided operation: open its window over all sets of the exposed buffer. Other operations and
 * processes have none.
 */
int buffers_expose(struct buffers *buffers, struct call *call, struct fault *fault);

/* Point the call to one set, which is also the next one; a number beyond the last set begins again at 0. */
void buffers_use(struct buffers *buffers, size_t set, struct call *call);

/* Before each execution: advance cold buffers to the next set. Makes no system call. */
static inline void buffers_next(struct buffers *buffers, struct call *call)
{
    if (!buffers->cold)
        return;
    buffers_use(buffers, buffers->next, call);
    buffers->next = (buffers->next + 1) % buffers->sets;
}

/* Displace the buffers of the first sets, which are used next, from the cache by touching all other memory. */
void buffers_chill(struct buffers *buffers, size_t sets);

void buffers_close(struct buffers *buffers);

/* Return the bytes of the first processor's largest cache; 32 MiB if the system does not report it. */
size_t buffers_cache_bytes(void);

#endif
