/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives.c: the algorithms (see collectives.h). */
#include "candle/collectives.h"

#include <string.h>

/* Above that many bytes of a vector, or of all blocks together, the algorithm is a ring. */
enum { COLLECTIVE_RING_VECTOR = 4096, COLLECTIVE_RING_BLOCKS = 32768 };

/* Add values to sums. As in the engine, they are floats if the vector or block has whole floats, else signed bytes. */
static void collective_add(char *restrict sums, const char *restrict values, size_t bytes, bool floats)
{
    float *restrict const float_sums = (float *)(void *)sums;
    const float *restrict const float_values = (const float *)(const void *)values;
    for (size_t i = 0; floats && i < bytes / sizeof *float_sums; i++)
        float_sums[i] += float_values[i];
    for (size_t i = 0; !floats && i < bytes; i++)
        sums[i] = (char)(sums[i] + values[i]);
}

static bool collective_has_floats(size_t bytes)
{
    return bytes % sizeof(float) == 0;
}

static void collective_copy(char *to, const char *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, bytes);
}

void collective_barrier(struct link *link)
{
    for (int distance = 1; distance < link->size; distance *= 2)
        link_exchange(link, link_shifted(link, distance), NULL, 0, link_shifted(link, -distance), NULL, 0);
}

void collective_broadcast(struct link *link, void *data, size_t bytes)
{
    int bit = 1;
    for (; bit < link->size && (link->rank & bit) == 0; bit *= 2)
        continue;
    if (link->rank > 0)
        link_receive(link, link->rank - bit, data, bytes);
    for (bit /= 2; bit > 0; bit /= 2)
        if (link->rank + bit < link->size)
            link_send(link, link->rank + bit, data, bytes);
}

void collective_bcast(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    collective_broadcast(link, link->rank == 0 ? buffers->in : buffers->out, bytes);
}

/* Return the number of blocks of the subtree of a rank below a child at that bit. */
static size_t collective_subtree(const struct link *link, int first, int bit)
{
    return (size_t)(link->size - first < bit ? link->size - first : bit);
}

/* out of rank 0 becomes the blocks of all; out of others those of their subtree. */
void collective_gather(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    collective_copy(buffers->out, buffers->in, bytes);
    for (int bit = 1; bit < link->size; bit *= 2) {
        if ((link->rank & bit) != 0) {
            link_send(link, link->rank - bit, buffers->out, collective_subtree(link, link->rank, bit) * bytes);
            return;
        }
        const int child = link->rank + bit;
        if (child < link->size)
            link_receive(link, child, buffers->out + (size_t)bit * bytes, collective_subtree(link, child, bit) * bytes);
    }
}

void collective_scatter(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    char *const blocks = link->rank == 0 ? buffers->in : buffers->work;
    int bit = 1;
    for (; bit < link->size && (link->rank & bit) == 0; bit *= 2)
        continue;
    if (link->rank > 0)
        link_receive(link, link->rank - bit, blocks, collective_subtree(link, link->rank, bit) * bytes);
    for (bit /= 2; bit > 0; bit /= 2)
        if (link->rank + bit < link->size)
            link_send(link, link->rank + bit, blocks + (size_t)bit * bytes,
                      collective_subtree(link, link->rank + bit, bit) * bytes);
    collective_copy(buffers->out, blocks, bytes);
}

void collective_reduce(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    collective_copy(buffers->out, buffers->in, bytes);
    for (int bit = 1; bit < link->size; bit *= 2) {
        if ((link->rank & bit) != 0) {
            link_send(link, link->rank - bit, buffers->out, bytes);
            return;
        }
        if (link->rank + bit < link->size) {
            link_receive(link, link->rank + bit, buffers->work, bytes);
            collective_add(buffers->out, buffers->work, bytes, collective_has_floats(bytes));
        }
    }
}

/* Return the begin of part i of a vector that is divided among the processes, in whole floats. */
static size_t collective_part(const struct link *link, int i, size_t bytes)
{
    const size_t floats = bytes / sizeof(float);
    return i == link->size ? bytes : floats * (size_t)i / (size_t)link->size * sizeof(float);
}

/* After this, out of each process has the sum of its part; bytes is the size of the vector in out. */
static void collective_ring_reduce(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    const int next = link_shifted(link, 1), previous = link_shifted(link, -1);
    for (int step = 1; step < link->size; step++) {
        const int sent = link_shifted(link, -step), received = link_shifted(link, -step - 1);
        const size_t from = collective_part(link, sent, bytes), to = collective_part(link, received, bytes);
        const size_t received_bytes = collective_part(link, received + 1, bytes) - to;
        link_exchange(link, next, buffers->out + from, collective_part(link, sent + 1, bytes) - from, previous,
                      buffers->work, received_bytes);
        collective_add(buffers->out + to, buffers->work, received_bytes, collective_has_floats(bytes));
    }
}

/* Each process has its part of the vector in out; after this it has all. */
static void collective_ring_gather(struct link *link, char *out, size_t bytes)
{
    const int next = link_shifted(link, 1), previous = link_shifted(link, -1);
    for (int step = 0; step < link->size - 1; step++) {
        const int sent = link_shifted(link, -step), received = link_shifted(link, -step - 1);
        const size_t from = collective_part(link, sent, bytes), to = collective_part(link, received, bytes);
        link_exchange(link, next, out + from, collective_part(link, sent + 1, bytes) - from, previous, out + to,
                      collective_part(link, received + 1, bytes) - to);
    }
}

/* Recursive doubling among the largest power of two of processes; each other one has a representative there. */
static void collective_double(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    int power = 1;
    while (2 * power <= link->size)
        power *= 2;
    if (link->rank >= power) {
        link_send(link, link->rank - power, buffers->out, bytes);
        link_receive(link, link->rank - power, buffers->out, bytes);
        return;
    }
    const int represented = link->rank + power < link->size ? link->rank + power : LINK_NOBODY;
    if (represented != LINK_NOBODY) {
        link_receive(link, represented, buffers->work, bytes);
        collective_add(buffers->out, buffers->work, bytes, collective_has_floats(bytes));
    }
    for (int bit = 1; bit < power; bit *= 2) {
        link_exchange(link, link->rank ^ bit, buffers->out, bytes, link->rank ^ bit, buffers->work, bytes);
        collective_add(buffers->out, buffers->work, bytes, collective_has_floats(bytes));
    }
    link_send(link, represented, buffers->out, bytes);
}

void collective_allreduce(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    collective_copy(buffers->out, buffers->in, bytes);
    if (bytes <= COLLECTIVE_RING_VECTOR) {
        collective_double(link, buffers, bytes);
        return;
    }
    collective_ring_reduce(link, buffers, bytes);
    collective_ring_gather(link, buffers->out, bytes);
}

void collective_reduce_scatter(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    const int next = link_shifted(link, 1), previous = link_shifted(link, -1);
    collective_copy(buffers->out, buffers->in, (size_t)link->size * bytes);
    for (int step = 1; step < link->size; step++) {
        char *const sent = buffers->out + (size_t)link_shifted(link, -step) * bytes;
        char *const received = buffers->out + (size_t)link_shifted(link, -step - 1) * bytes;
        link_exchange(link, next, sent, bytes, previous, buffers->work, bytes);
        collective_add(received, buffers->work, bytes, collective_has_floats(bytes));
    }
}

/* Blocks are gathered in the order rank, rank + 1, ..., then rotated. */
static void collective_bruck(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    const size_t size = (size_t)link->size, rank = (size_t)link->rank;
    collective_copy(buffers->work, buffers->in, bytes);
    for (int have = 1; have < link->size; have *= 2) {
        const size_t more = (size_t)(link->size - have < have ? link->size - have : have) * bytes;
        link_exchange(link, link_shifted(link, -have), buffers->work, more, link_shifted(link, have),
                      buffers->work + (size_t)have * bytes, more);
    }
    collective_copy(buffers->out + rank * bytes, buffers->work, (size - rank) * bytes);
    collective_copy(buffers->out, buffers->work + (size - rank) * bytes, rank * bytes);
}

void collective_allgather(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    const int next = link_shifted(link, 1), previous = link_shifted(link, -1);
    if ((size_t)link->size * bytes <= COLLECTIVE_RING_BLOCKS) {
        collective_bruck(link, buffers, bytes);
        return;
    }
    collective_copy(buffers->out + (size_t)link->rank * bytes, buffers->in, bytes);
    for (int step = 0; step < link->size - 1; step++)
        link_exchange(link, next, buffers->out + (size_t)link_shifted(link, -step) * bytes, bytes, previous,
                      buffers->out + (size_t)link_shifted(link, -step - 1) * bytes, bytes);
}

void collective_alltoall(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    for (int step = 0; step < link->size; step++) {
        const int to = link_shifted(link, step), from = link_shifted(link, -step);
        link_exchange(link, to, buffers->in + (size_t)to * bytes, bytes, from, buffers->out + (size_t)from * bytes,
                      bytes);
    }
}

/* The sum over all ranks up to this one. */
void collective_scan(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    collective_copy(buffers->out, buffers->in, bytes);
    for (int distance = 1; distance < link->size; distance *= 2) {
        const int to = link->rank + distance < link->size ? link->rank + distance : LINK_NOBODY;
        const int from = link->rank >= distance ? link->rank - distance : LINK_NOBODY;
        link_exchange(link, to, buffers->out, bytes, from, buffers->work, bytes);
        if (from != LINK_NOBODY)
            collective_add(buffers->out, buffers->work, bytes, collective_has_floats(bytes));
    }
}
