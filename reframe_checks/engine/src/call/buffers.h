/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * buffers.h: the memory that operations send from and receive into, as sets of one send and one receive buffer.
 *
 * Every page is touched and zero before the first run, except in shared memory: on a simulated machine all processes
 * are one program, and large buffers whose contents nobody looks at can be one piece of memory for all.
 * Warm: two sets. The second call of an operation uses the other one, so that what the first call registered or cached
 * for its buffers does not flatter it; all counted runs use one.
 * Cold: a ring of sets that is twice as large as the last-level cache; every run takes the next set, which no run has
 * used since more memory than the cache holds was used. Sets begin on pages of their own, where no prefetcher reaches.
 */
#ifndef ISOCHRON_BUFFERS_H
#define ISOCHRON_BUFFERS_H

#include "base/fault.h"
#include "call/call.h"

struct buffers_policy {
    size_t alignment;   /* a power of two */
    size_t cache_bytes; /* of the last-level cache for cold buffers, 0 for warm ones */
    bool shared;        /* whether large buffers may be shared; only a simulator can */
};

/* The same buffer of every set. */
struct buffers_ring {
    char *memory;
    void *block;   /* what memory lies in */
    size_t bytes;  /* of one buffer */
    size_t stride; /* from one set to the next */
};

struct buffers {
    struct buffers_ring send, recv;
    size_t sets;
    size_t next; /* the set that buffers_next takes */
    bool cold;
    int64_t mapped_bytes;   /* of all sets, with what aligns them */
    int64_t first_touch_ns; /* what touching all pages took */
};

int buffers_open(struct buffers *buffers, const struct call *call, const struct buffers_policy *policy,
                 struct fault *fault);

/* Points the call at one set, which is also the next one. */
void buffers_use(struct buffers *buffers, size_t set, struct call *call);

/* Before each run: cold buffers move on to the next set, warm ones stay. Makes no system call. */
static inline void buffers_next(struct buffers *buffers, struct call *call)
{
    if (!buffers->cold)
        return;
    buffers_use(buffers, buffers->next, call);
    buffers->next = (buffers->next + 1) % buffers->sets;
}

/* Touches all cold memory but the buffers of the first sets, which the runs are about to use: they leave the cache. */
void buffers_chill(struct buffers *buffers, size_t sets);

void buffers_close(struct buffers *buffers);

/* Bytes of the largest cache that the first processor sees; 32 MiB where the system does not tell. */
size_t buffers_cache_bytes(void);

#endif
