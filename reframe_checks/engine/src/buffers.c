/* SPDX-License-Identifier: BSD-3-Clause */
/* buffers.c: aligned buffers of one call (see buffers.h). */
#include "buffers.h"

#include <stdlib.h>
#include <string.h>

/* Never NULL on success, also for no bytes: some libraries look at the address first. */
static void *buffers_allocate(size_t bytes, size_t alignment, struct fault *fault)
{
    void *memory = NULL;
    const size_t length = bytes == 0 ? 1 : bytes;
    if (posix_memalign(&memory, alignment, length) != 0) {
        fault_set(fault, FAULT_SYSTEM, "out of memory for a buffer of %zu bytes", length);
        return NULL;
    }
    return memset(memory, 0, length);
}

int buffers_open(struct buffers *buffers, const struct call *call, size_t alignment, struct fault *fault)
{
    *buffers = (struct buffers){0};
    for (int set = 0; set < BUFFERS_SETS && fault->code == FAULT_NONE; set++) {
        buffers->send[set] = buffers_allocate(call->send_bytes, alignment, fault);
        buffers->recv[set] = buffers_allocate(call->recv_bytes, alignment, fault);
    }
    return (int)fault->code;
}

void buffers_use(const struct buffers *buffers, int set, struct call *call)
{
    call->send = buffers->send[set];
    call->recv = buffers->recv[set];
}

void buffers_close(struct buffers *buffers)
{
    for (int set = 0; set < BUFFERS_SETS; set++) {
        free(buffers->send[set]);
        free(buffers->recv[set]);
    }
    *buffers = (struct buffers){0};
}
