/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels.c: the algorithms (see kernels.h). */
#include "candle/kernels.h"

#include <string.h>

/* Above that many bytes of a vector, or of all blocks together, the algorithm is a ring. */
#ifndef X_RING
#define X_RING 4096
#endif
enum { KERNEL_RING_VECTOR = X_RING, KERNEL_RING_BLOCKS = 32768 };
enum { KERNEL_GRID_PEERS = 4 };

const char *const KERNEL_NAMES[] = {
    [KERNEL_NOTHING] = "nothing",
    [KERNEL_BARRIER] = "barrier",
    [KERNEL_BCAST] = "bcast",
    [KERNEL_GATHER] = "gather",
    [KERNEL_SCATTER] = "scatter",
    [KERNEL_REDUCE] = "reduce",
    [KERNEL_ALLREDUCE] = "allreduce",
    [KERNEL_REDUCE_SCATTER] = "reduce-scatter",
    [KERNEL_ALLGATHER] = "allgather",
    [KERNEL_ALLTOALL] = "alltoall",
    [KERNEL_SCAN] = "scan",
    [KERNEL_ONE_WAY] = "one-way",
    [KERNEL_PING_PONG] = "ping-pong",
    [KERNEL_PING_PING] = "ping-ping",
    [KERNEL_PING_PONG_ALL] = "ping-pong-all",
    [KERNEL_PING_PING_ALL] = "ping-ping-all",
    [KERNEL_CHAIN] = "chain",
    [KERNEL_NEIGHBOURS] = "neighbours",
    [KERNEL_STAR] = "star",
    [KERNEL_GRID] = "grid",
};

/* Add from to to. */
static void kernels_add(char *restrict to, const char *restrict from, size_t bytes)
{
    float *restrict const sums = (float *)(void *)to;
    const float *restrict const values = (const float *)(const void *)from;
    const size_t count = bytes / sizeof *sums;
    for (size_t i = 0; i < count; i++)
        sums[i] += values[i];
    for (size_t i = count * sizeof *sums; i < bytes; i++)
        to[i] = (char)(to[i] + from[i]);
}

static void kernels_copy(char *to, const char *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, bytes);
}

static int kernels_shifted(const struct link *link, int shift)
{
    return (link->rank + shift + link->size) % link->size;
}

void kernels_barrier(struct link *link)
{
    for (int distance = 1; distance < link->size; distance *= 2)
        link_exchange(link, kernels_shifted(link, distance), NULL, 0, kernels_shifted(link, -distance), NULL, 0);
}

static void kernels_nothing(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    (void)link;
    (void)buffers;
    (void)bytes;
}

static void kernels_all_wait(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    (void)buffers;
    (void)bytes;
    kernels_barrier(link);
}

void kernels_broadcast(struct link *link, void *data, size_t bytes)
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

static void kernels_bcast(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_broadcast(link, link->rank == 0 ? buffers->in : buffers->out, bytes);
}

/* Return the number of blocks of the subtree of a rank below a child at that bit. */
static size_t kernels_subtree(const struct link *link, int first, int bit)
{
    return (size_t)(link->size - first < bit ? link->size - first : bit);
}

/* out of rank 0 becomes the blocks of all; out of others those of their subtree. */
static void kernels_gather(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_copy(buffers->out, buffers->in, bytes);
    for (int bit = 1; bit < link->size; bit *= 2) {
        if ((link->rank & bit) != 0) {
            link_send(link, link->rank - bit, buffers->out, kernels_subtree(link, link->rank, bit) * bytes);
            return;
        }
        const int child = link->rank + bit;
        if (child < link->size)
            link_receive(link, child, buffers->out + (size_t)bit * bytes, kernels_subtree(link, child, bit) * bytes);
    }
}

static void kernels_scatter(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    char *const blocks = link->rank == 0 ? buffers->in : buffers->work;
    int bit = 1;
    for (; bit < link->size && (link->rank & bit) == 0; bit *= 2)
        continue;
    if (link->rank > 0)
        link_receive(link, link->rank - bit, blocks, kernels_subtree(link, link->rank, bit) * bytes);
    for (bit /= 2; bit > 0; bit /= 2)
        if (link->rank + bit < link->size)
            link_send(link, link->rank + bit, blocks + (size_t)bit * bytes,
                      kernels_subtree(link, link->rank + bit, bit) * bytes);
    kernels_copy(buffers->out, blocks, bytes);
}

static void kernels_reduce(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_copy(buffers->out, buffers->in, bytes);
    for (int bit = 1; bit < link->size; bit *= 2) {
        if ((link->rank & bit) != 0) {
            link_send(link, link->rank - bit, buffers->out, bytes);
            return;
        }
        if (link->rank + bit < link->size) {
            link_receive(link, link->rank + bit, buffers->work, bytes);
            kernels_add(buffers->out, buffers->work, bytes);
        }
    }
}

/* Return the begin of part i of a vector that is divided among the processes, in whole floats. */
static size_t kernels_part(const struct link *link, int i, size_t bytes)
{
    const size_t floats = bytes / sizeof(float);
    return i == link->size ? bytes : floats * (size_t)i / (size_t)link->size * sizeof(float);
}

/* After this, out of each process has the sum of its part; bytes is the size of the vector in out. */
static void kernels_ring_reduce(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    const int next = kernels_shifted(link, 1), previous = kernels_shifted(link, -1);
    for (int step = 1; step < link->size; step++) {
        const int sent = kernels_shifted(link, -step), received = kernels_shifted(link, -step - 1);
        const size_t from = kernels_part(link, sent, bytes), to = kernels_part(link, received, bytes);
        const size_t received_bytes = kernels_part(link, received + 1, bytes) - to;
        link_exchange(link, next, buffers->out + from, kernels_part(link, sent + 1, bytes) - from, previous,
                      buffers->work, received_bytes);
        kernels_add(buffers->out + to, buffers->work, received_bytes);
    }
}

/* Each process has its part of the vector in out; after this it has all. */
static void kernels_ring_gather(struct link *link, char *out, size_t bytes)
{
    const int next = kernels_shifted(link, 1), previous = kernels_shifted(link, -1);
    for (int step = 0; step < link->size - 1; step++) {
        const int sent = kernels_shifted(link, -step), received = kernels_shifted(link, -step - 1);
        const size_t from = kernels_part(link, sent, bytes), to = kernels_part(link, received, bytes);
        link_exchange(link, next, out + from, kernels_part(link, sent + 1, bytes) - from, previous, out + to,
                      kernels_part(link, received + 1, bytes) - to);
    }
}

/* Recursive doubling among the largest power of two of processes; each other one has a representative there. */
static void kernels_double(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
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
        kernels_add(buffers->out, buffers->work, bytes);
    }
    for (int bit = 1; bit < power; bit *= 2) {
        link_exchange(link, link->rank ^ bit, buffers->out, bytes, link->rank ^ bit, buffers->work, bytes);
        kernels_add(buffers->out, buffers->work, bytes);
    }
    link_send(link, represented, buffers->out, bytes);
}

static void kernels_allreduce(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_copy(buffers->out, buffers->in, bytes);
    if (bytes <= KERNEL_RING_VECTOR) {
        kernels_double(link, buffers, bytes);
        return;
    }
    kernels_ring_reduce(link, buffers, bytes);
    kernels_ring_gather(link, buffers->out, bytes);
}

static void kernels_reduce_scatter(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    const int next = kernels_shifted(link, 1), previous = kernels_shifted(link, -1);
    kernels_copy(buffers->out, buffers->in, (size_t)link->size * bytes);
    for (int step = 1; step < link->size; step++) {
        char *const sent = buffers->out + (size_t)kernels_shifted(link, -step) * bytes;
        char *const received = buffers->out + (size_t)kernels_shifted(link, -step - 1) * bytes;
        link_exchange(link, next, sent, bytes, previous, buffers->work, bytes);
        kernels_add(received, buffers->work, bytes);
    }
}

/* Blocks are gathered in the order rank, rank + 1, ..., then rotated. */
static void kernels_bruck(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    const size_t size = (size_t)link->size, rank = (size_t)link->rank;
    kernels_copy(buffers->work, buffers->in, bytes);
    for (int have = 1; have < link->size; have *= 2) {
        const size_t more = (size_t)(link->size - have < have ? link->size - have : have) * bytes;
        link_exchange(link, kernels_shifted(link, -have), buffers->work, more, kernels_shifted(link, have),
                      buffers->work + (size_t)have * bytes, more);
    }
    kernels_copy(buffers->out + rank * bytes, buffers->work, (size - rank) * bytes);
    kernels_copy(buffers->out, buffers->work + (size - rank) * bytes, rank * bytes);
}

static void kernels_allgather(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    const int next = kernels_shifted(link, 1), previous = kernels_shifted(link, -1);
    if ((size_t)link->size * bytes <= KERNEL_RING_BLOCKS) {
        kernels_bruck(link, buffers, bytes);
        return;
    }
    kernels_copy(buffers->out + (size_t)link->rank * bytes, buffers->in, bytes);
    for (int step = 0; step < link->size - 1; step++)
        link_exchange(link, next, buffers->out + (size_t)kernels_shifted(link, -step) * bytes, bytes, previous,
                      buffers->out + (size_t)kernels_shifted(link, -step - 1) * bytes, bytes);
}

static void kernels_alltoall(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    for (int step = 0; step < link->size; step++) {
        const int to = kernels_shifted(link, step), from = kernels_shifted(link, -step);
        link_exchange(link, to, buffers->in + (size_t)to * bytes, bytes, from, buffers->out + (size_t)from * bytes,
                      bytes);
    }
}

/* The sum over all ranks up to this one. */
static void kernels_scan(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_copy(buffers->out, buffers->in, bytes);
    for (int distance = 1; distance < link->size; distance *= 2) {
        const int to = link->rank + distance < link->size ? link->rank + distance : LINK_NOBODY;
        const int from = link->rank >= distance ? link->rank - distance : LINK_NOBODY;
        link_exchange(link, to, buffers->out, bytes, from, buffers->work, bytes);
        if (from != LINK_NOBODY)
            kernels_add(buffers->out, buffers->work, bytes);
    }
}

/* Return the other rank of the pair; LINK_NOBODY: this process takes no part. */
static int kernels_partner(const struct link *link, bool all)
{
    const int partner = link->rank ^ 1;
    return partner < link->size && (all || link->rank < 2) ? partner : LINK_NOBODY;
}

static void kernels_there_and_back(struct link *link, int partner, const struct kernel_buffers *buffers, size_t bytes)
{
    if (link->rank % 2 == 0)
        link_send(link, partner, buffers->in, bytes);
    link_receive(link, partner, buffers->out, bytes);
    if (link->rank % 2 == 1)
        link_send(link, partner, buffers->in, bytes);
}

static void kernels_ping_pong(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_there_and_back(link, kernels_partner(link, false), buffers, bytes);
}

static void kernels_ping_pong_all(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_there_and_back(link, kernels_partner(link, true), buffers, bytes);
}

static void kernels_both_ways(struct link *link, int partner, const struct kernel_buffers *buffers, size_t bytes)
{
    link_exchange(link, partner, buffers->in, bytes, partner, buffers->out, bytes);
}

static void kernels_ping_ping(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_both_ways(link, kernels_partner(link, false), buffers, bytes);
}

static void kernels_ping_ping_all(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_both_ways(link, kernels_partner(link, true), buffers, bytes);
}

static void kernels_one_way(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    if (link->rank == 0)
        link_send(link, kernels_partner(link, false), buffers->in, bytes);
    else
        link_receive(link, kernels_partner(link, false), buffers->out, bytes);
}

static void kernels_chain(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    link_exchange(link, kernels_shifted(link, 1), buffers->in, bytes, kernels_shifted(link, -1), buffers->out, bytes);
}

static void kernels_neighbours(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_chain(link, buffers, bytes);
    link_exchange(link, kernels_shifted(link, -1), buffers->in + bytes, bytes, kernels_shifted(link, 1),
                  buffers->out + bytes, bytes);
}

static void kernels_star(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    if (link->rank > 0)
        link_exchange(link, 0, buffers->in, bytes, 0, buffers->out, bytes);
    for (int peer = 1; link->rank == 0 && peer < link->size; peer++)
        link_exchange(link, peer, buffers->in, bytes, peer, buffers->out, bytes);
}

/* One way and the other in each of the two dimensions of the grid that is closest to a square. */
static void kernels_grid(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    int columns = 1;
    for (int i = 1; i * i <= link->size; i++)
        columns = link->size % i == 0 ? i : columns;
    const int row = link->rank / columns * columns, column = link->rank % columns;
    const int peers[KERNEL_GRID_PEERS] = {kernels_shifted(link, columns), kernels_shifted(link, -columns),
                                          row + (column + 1) % columns, row + (column + columns - 1) % columns};
    for (int i = 0; i < KERNEL_GRID_PEERS; i++)
        link_exchange(link, peers[i], buffers->in + (size_t)i * bytes, bytes, peers[i ^ 1],
                      buffers->out + (size_t)i * bytes, bytes);
}

/* What a kernel does, and how many blocks each buffer has; 0: one for each process. */
static const struct {
    void (*perform)(struct link *link, const struct kernel_buffers *buffers, size_t bytes);
    size_t blocks;
} KERNEL_TABLE[KERNELS] = {
    [KERNEL_NOTHING] = {kernels_nothing, 1},
    [KERNEL_BARRIER] = {kernels_all_wait, 1},
    [KERNEL_BCAST] = {kernels_bcast, 1},
    [KERNEL_GATHER] = {kernels_gather, 0},
    [KERNEL_SCATTER] = {kernels_scatter, 0},
    [KERNEL_REDUCE] = {kernels_reduce, 1},
    [KERNEL_ALLREDUCE] = {kernels_allreduce, 1},
    [KERNEL_REDUCE_SCATTER] = {kernels_reduce_scatter, 0},
    [KERNEL_ALLGATHER] = {kernels_allgather, 0},
    [KERNEL_ALLTOALL] = {kernels_alltoall, 0},
    [KERNEL_SCAN] = {kernels_scan, 1},
    [KERNEL_ONE_WAY] = {kernels_one_way, 1},
    [KERNEL_PING_PONG] = {kernels_ping_pong, 1},
    [KERNEL_PING_PING] = {kernels_ping_ping, 1},
    [KERNEL_PING_PONG_ALL] = {kernels_ping_pong_all, 1},
    [KERNEL_PING_PING_ALL] = {kernels_ping_ping_all, 1},
    [KERNEL_CHAIN] = {kernels_chain, 1},
    [KERNEL_NEIGHBOURS] = {kernels_neighbours, 2},
    [KERNEL_STAR] = {kernels_star, 1},
    [KERNEL_GRID] = {kernels_grid, KERNEL_GRID_PEERS},
};

size_t kernels_bytes(enum kernel kernel, int processes, size_t bytes)
{
    const size_t blocks = KERNEL_TABLE[kernel].blocks;
    return bytes * (blocks == 0 ? (size_t)processes : blocks);
}

void kernels_perform(enum kernel kernel, struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    KERNEL_TABLE[kernel].perform(link, buffers, bytes);
}

void kernels_maximum(struct link *link, int64_t *values, int64_t *work, size_t count)
{
    for (int bit = 1; bit < link->size; bit *= 2) {
        if ((link->rank & bit) != 0) {
            link_send(link, link->rank - bit, values, count * sizeof *values);
            return;
        }
        if (link->rank + bit >= link->size)
            continue;
        link_receive(link, link->rank + bit, work, count * sizeof *work);
        for (size_t i = 0; i < count; i++)
            values[i] = values[i] > work[i] ? values[i] : work[i];
    }
}
