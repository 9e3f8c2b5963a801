/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels.c: messages between pairs and neighbours, and the table of all kernels (see kernels.h). */
#include "candle/kernels.h"

#include <string.h>

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
    [KERNEL_ONE_WAY_ALL] = "one-way-all",
    [KERNEL_CHAIN] = "chain",
    [KERNEL_NEIGHBOURS] = "neighbours",
    [KERNEL_STAR] = "star",
    [KERNEL_FAN_IN] = "fan-in",
    [KERNEL_FAN_OUT] = "fan-out",
    [KERNEL_GRID] = "grid",
};

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
    collective_barrier(link);
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

static void kernels_there(struct link *link, int partner, const struct kernel_buffers *buffers, size_t bytes)
{
    if (link->rank % 2 == 0)
        link_send(link, partner, buffers->in, bytes);
    else
        link_receive(link, partner, buffers->out, bytes);
}

static void kernels_one_way(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_there(link, kernels_partner(link, false), buffers, bytes);
}

static void kernels_one_way_all(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_there(link, kernels_partner(link, true), buffers, bytes);
}

static void kernels_chain(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    link_exchange(link, link_shifted(link, 1), buffers->in, bytes, link_shifted(link, -1), buffers->out, bytes);
}

static void kernels_neighbours(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    kernels_chain(link, buffers, bytes);
    link_exchange(link, link_shifted(link, -1), buffers->in + bytes, bytes, link_shifted(link, 1), buffers->out + bytes,
                  bytes);
}

static void kernels_star(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    if (link->rank > 0)
        link_exchange(link, 0, buffers->in, bytes, 0, buffers->out, bytes);
    for (int peer = 1; link->rank == 0 && peer < link->size; peer++)
        link_exchange(link, peer, buffers->in, bytes, peer, buffers->out, bytes);
}

static void kernels_fan_in(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    if (link->rank > 0)
        link_send(link, 0, buffers->in, bytes);
    for (int peer = 1; link->rank == 0 && peer < link->size; peer++)
        link_receive(link, peer, buffers->out, bytes);
}

static void kernels_fan_out(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    if (link->rank > 0)
        link_receive(link, 0, buffers->out, bytes);
    for (int peer = 1; link->rank == 0 && peer < link->size; peer++)
        link_send(link, peer, buffers->in, bytes);
}

/* One way and the other in each of the two dimensions of the grid that is closest to a square. */
static void kernels_grid(struct link *link, const struct kernel_buffers *buffers, size_t bytes)
{
    int columns = 1;
    for (int i = 1; i * i <= link->size; i++)
        columns = link->size % i == 0 ? i : columns;
    const int row = link->rank / columns * columns, column = link->rank % columns;
    const int peers[KERNEL_GRID_PEERS] = {link_shifted(link, columns), link_shifted(link, -columns),
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
    [KERNEL_BCAST] = {collective_bcast, 1},
    [KERNEL_GATHER] = {collective_gather, 0},
    [KERNEL_SCATTER] = {collective_scatter, 0},
    [KERNEL_REDUCE] = {collective_reduce, 1},
    [KERNEL_ALLREDUCE] = {collective_allreduce, 1},
    [KERNEL_REDUCE_SCATTER] = {collective_reduce_scatter, 0},
    [KERNEL_ALLGATHER] = {collective_allgather, 0},
    [KERNEL_ALLTOALL] = {collective_alltoall, 0},
    [KERNEL_SCAN] = {collective_scan, 1},
    [KERNEL_ONE_WAY] = {kernels_one_way, 1},
    [KERNEL_PING_PONG] = {kernels_ping_pong, 1},
    [KERNEL_PING_PING] = {kernels_ping_ping, 1},
    [KERNEL_PING_PONG_ALL] = {kernels_ping_pong_all, 1},
    [KERNEL_PING_PING_ALL] = {kernels_ping_ping_all, 1},
    [KERNEL_ONE_WAY_ALL] = {kernels_one_way_all, 1},
    [KERNEL_CHAIN] = {kernels_chain, 1},
    [KERNEL_NEIGHBOURS] = {kernels_neighbours, 2},
    [KERNEL_STAR] = {kernels_star, 1},
    [KERNEL_FAN_IN] = {kernels_fan_in, 1},
    [KERNEL_FAN_OUT] = {kernels_fan_out, 1},
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
