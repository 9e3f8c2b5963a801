/* SPDX-License-Identifier: BSD-3-Clause */
/* lanes.c: rings of cells in shared memory (see lanes.h). */
#include "candle/lanes.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct lane {
    _Alignas(64) _Atomic uint32_t sent;  /* written by the sender */
    _Alignas(64) _Atomic uint32_t taken; /* written by the receiver */
    _Alignas(64) char cells[LANE_CELLS][LANE_CELL];
};

size_t lanes_bytes(int count)
{
    return (size_t)count * (size_t)count * sizeof(struct lane);
}

int lanes_open(struct lanes *lanes, int descriptor, size_t offset, int index, int count, struct fault *fault)
{
    *lanes = (struct lanes){.index = index, .count = count};
    lanes->sent = calloc(2 * (size_t)count, sizeof *lanes->sent);
    if (lanes->sent == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the lanes of %d processes", count);
    lanes->taken = lanes->sent + count;
    void *const memory = mmap(NULL, lanes_bytes(count), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, (off_t)offset);
    if (memory == MAP_FAILED)
        return fault_set(fault, FAULT_SYSTEM, "cannot map the shared memory of %d processes: %s", count,
                         strerror(errno));
    lanes->memory = memory;
    return 0;
}

void lanes_close(struct lanes *lanes)
{
    if (lanes->memory != NULL)
        munmap(lanes->memory, lanes_bytes(lanes->count));
    free(lanes->sent);
    *lanes = (struct lanes){0};
}

bool lanes_put(struct lanes *lanes, int to, const char *data, size_t bytes)
{
    struct lane *const lane = &lanes->memory[(size_t)lanes->index * (size_t)lanes->count + (size_t)to];
    const uint32_t sent = lanes->sent[to];
    if (sent - atomic_load_explicit(&lane->taken, memory_order_acquire) >= LANE_CELLS)
        return false;
    if (bytes > 0)
        memcpy(lane->cells[sent % LANE_CELLS], data, bytes);
    lanes->sent[to] = sent + 1;
    atomic_store_explicit(&lane->sent, sent + 1, memory_order_release);
    return true;
}

bool lanes_get(struct lanes *lanes, int from, char *data, size_t bytes)
{
    struct lane *const lane = &lanes->memory[(size_t)from * (size_t)lanes->count + (size_t)lanes->index];
    const uint32_t taken = lanes->taken[from];
    if (atomic_load_explicit(&lane->sent, memory_order_acquire) == taken)
        return false;
    if (bytes > 0)
        memcpy(data, lane->cells[taken % LANE_CELLS], bytes);
    lanes->taken[from] = taken + 1;
    atomic_store_explicit(&lane->taken, taken + 1, memory_order_release);
    return true;
}
