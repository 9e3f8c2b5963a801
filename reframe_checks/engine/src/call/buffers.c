/* SPDX-License-Identifier: BSD-3-Clause */
/* buffers.c: aligned buffers of one call (see buffers.h). */
#include "call/buffers.h"

#include "call/rma.h"
#include "call/threads.h"
#include "operation/operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS_WARM_SETS = 2, BUFFERS_PAGE = 4096, BUFFERS_LINE = 64, BUFFERS_CACHES = 8, BUFFERS_LARGE = 1 << 16 };

static size_t buffers_round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Allocate memory for buffers_close to free; NULL if there is none. Zero unless it is shared. */
static void *buffers_take(size_t bytes, bool shared)
{
#ifdef SMPI_SHARED_MALLOC
    if (shared && bytes >= BUFFERS_LARGE)
        return SMPI_SHARED_MALLOC(bytes);
#endif
    (void)shared;
    void *const block = malloc(bytes);
    return block == NULL ? NULL : memset(block, 0, bytes);
}

/* Not NULL on success, even for 0 bytes: some libraries check the address first. */
static void buffers_allocate(struct buffers_ring *ring, size_t sets, const struct buffers_policy *policy, size_t unit,
                             struct fault *fault)
{
    const size_t length = ring->stride * sets + unit;
    ring->block = (length - unit) / sets == ring->stride ? buffers_take(length, policy->shared) : NULL;
    if (ring->block == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for %zu buffers of %zu bytes", sets, ring->bytes);
    else
        ring->memory = (char *)ring->block + (unit - (uintptr_t)ring->block % unit) % unit;
}

/* Return the buffer of a one-sided operation that lies in its window; NULL: none. */
static struct buffers_ring *buffers_exposed(struct buffers *buffers, const struct call *call)
{
    const enum operation_exposure exposes = call->operation->exposes;
    return exposes == EXPOSES_RECEIVED ? &buffers->recv : exposes == EXPOSES_SENT ? &buffers->send : NULL;
}

int buffers_open(struct buffers *buffers, const struct call *call, const struct buffers_policy *policy,
                 struct fault *fault)
{
    const bool cold = policy->cache_bytes > 0;
    const size_t unit = cold && policy->alignment < BUFFERS_PAGE ? BUFFERS_PAGE : policy->alignment;
    *buffers = (struct buffers){.cold = cold, .sets = policy->shared && !cold ? 1 : BUFFERS_WARM_SETS};
    const struct buffers_ring *const exposed = buffers_exposed(buffers, call);
    buffers->send.bytes = call->send_bytes;
    buffers->recv.bytes = call->recv_bytes;
    buffers->send.stride = buffers_round_up(call->send_bytes == 0 ? 1 : call->send_bytes, unit);
    buffers->recv.stride = buffers_round_up(call->recv_bytes == 0 ? 1 : call->recv_bytes, unit);
    /* The origin and the target of a one-sided operation use one buffer each. */
    const size_t used = exposed == NULL ? buffers->send.stride + buffers->recv.stride : exposed->stride;
    if (cold)
        buffers->sets += 2 * policy->cache_bytes / used;
    const int64_t begin_ns = clock_now(call->clock);
    if (exposed != &buffers->send || !rma_allocates(call))
        buffers_allocate(&buffers->send, buffers->sets, policy, unit, fault);
    if (exposed != &buffers->recv || !rma_allocates(call))
        buffers_allocate(&buffers->recv, buffers->sets, policy, unit, fault);
    buffers->mapped_bytes = (int64_t)((buffers->send.stride + buffers->recv.stride) * buffers->sets + 2 * unit);
    buffers->first_touch_ns = clock_now(call->clock) - begin_ns;
    return (int)fault->code;
}

int buffers_expose(struct buffers *buffers, struct call *call, struct fault *fault)
{
    struct buffers_ring *const exposed = buffers_exposed(buffers, call);
    if (exposed == NULL)
        return 0;
    const size_t bytes = exposed->stride * buffers->sets;
    if (rma_open(call, &exposed->memory, bytes, fault) == 0 && exposed->memory != NULL && rma_allocates(call) &&
        !call->refused)
        memset(exposed->memory, 0, bytes);
    return (int)fault->code;
}

void buffers_use(struct buffers *buffers, size_t set, struct call *call)
{
    set %= buffers->sets;
    call->send = buffers->send.memory + set * buffers->send.stride;
    call->recv = buffers->recv.memory + set * buffers->recv.stride;
    buffers->next = set;
    threads_bind(call);
    call_bind(call);
}

static void buffers_chill_ring(struct buffers_ring *ring, size_t sets, size_t spared)
{
    for (size_t set = 0; set < sets; set++) {
        volatile char *const memory = ring->memory + set * ring->stride;
        for (size_t i = set < spared ? buffers_round_up(ring->bytes, BUFFERS_LINE) : 0; i < ring->stride;
             i += BUFFERS_LINE)
            memory[i] = 0;
    }
}

void buffers_chill(struct buffers *buffers, size_t sets)
{
    buffers_chill_ring(&buffers->send, buffers->sets, sets);
    buffers_chill_ring(&buffers->recv, buffers->sets, sets);
}

void buffers_close(struct buffers *buffers)
{
    free(buffers->send.block);
    free(buffers->recv.block);
    *buffers = (struct buffers){0};
}

/* Read "32768K" as bytes; 0 if there is no such cache. */
static size_t buffers_read_size(int index)
{
    char path[80];
    long long kibibytes = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
    FILE *const file = fopen(path, "r");
    if (file == NULL)
        return 0;
    const int fields = fscanf(file, "%lldK", &kibibytes);
    fclose(file);
    return fields == 1 && kibibytes > 0 ? (size_t)kibibytes * 1024 : 0;
}

size_t buffers_cache_bytes(void)
{
    size_t largest = 0;
    for (int index = 0; index < BUFFERS_CACHES; index++) {
        const size_t bytes = buffers_read_size(index);
        largest = bytes > largest ? bytes : largest;
    }
    return largest > 0 ? largest : (size_t)32 << 20;
}
