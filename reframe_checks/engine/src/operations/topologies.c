/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topologies.c: messages on all channels of a topology (Andreev, Voevodin, 1997-2003).
 *
 * star: the first process with each other one; ring: each with the next; chaos: each with each. The rate of a channel
 * is 2 L / T, where T ends with a barrier of all processes.
 */
#include "call/messages.h"

static int topology_close(const struct call *call, int result)
{
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

static int topology_exchange(struct call *call)
{
    return topology_close(call, messages_exchange(call));
}

/* Messages each way on the channels between a process and those ranks. */
#define TOPOLOGY(ranks)                                                                                                \
    .group = "topologies", .bytes_means = "the message that each channel carries each way, before a barrier",          \
    .shape = OPERATION_BLOCKS, OPERATION_AMONG(ranks), .moved = 2, .plain_sends = true

/* istar, iring, ichaos: all channels in both directions at the same time. */
const struct operation operation_istar = {
    TOPOLOGY(messages_star_peers),
    .execute = topology_exchange,
};

const struct operation operation_iring = {
    TOPOLOGY(messages_neighbour_peers),
    .execute = topology_exchange,
};

const struct operation operation_ichaos = {
    TOPOLOGY(messages_complete_peers),
    .execute = topology_exchange,
};

/* star: the first process exchanges with all at the same time; each other one receives, then sends. */
static int star_execute(struct call *call)
{
    if (call->received.blocks == 0 || call->rank < call->received.peers[0])
        return topology_exchange(call);
    const int result = messages_recv(call, 0);
    return topology_close(call, result != MPI_SUCCESS ? result : messages_send(call, 0));
}

const struct operation operation_star = {
    TOPOLOGY(messages_star_peers),
    .execute = star_execute,
};

/*
 * ring: all send to the right and receive from the left, then in the other direction. Blocks are in the order of
 * messages_neighbour_peers: 0 is the left neighbour, 1 the right one.
 */
static int ring_one_way(struct call *call, int to)
{
    int result = messages_isend(call, to, &call->requests[0]);
    if (result == MPI_SUCCESS)
        result = messages_irecv(call, 1 - to, &call->requests[1]);
    return result != MPI_SUCCESS ? result : MPI_Waitall(2, call->requests, MPI_STATUSES_IGNORE);
}

static int ring_execute(struct call *call)
{
    int result = MPI_SUCCESS;
    for (int to = 1; call->sent.blocks > 0 && to >= 0 && result == MPI_SUCCESS; to--)
        result = ring_one_way(call, to);
    return topology_close(call, result);
}

const struct operation operation_ring = {
    TOPOLOGY(messages_neighbour_peers),
    .execute = ring_execute,
};

/*
 * chaos: each process sends to the higher ranks, and answers each lower one when its message has arrived. Blocks are in
 * the order of ranks: block i is of the same process on both sides.
 */
static int chaos_execute(struct call *call)
{
    const int blocks = call->sent.blocks;
    MPI_Request *const sends = call->requests + blocks;
    int result = MPI_SUCCESS;
    for (int i = 0; i < blocks && result == MPI_SUCCESS; i++)
        if (call->sent.peers[i] > call->rank)
            result = messages_isend(call, i, &sends[i]);
    for (int i = 0; i < blocks && result == MPI_SUCCESS; i++)
        result = messages_irecv(call, i, &call->requests[i]);
    for (int came = 0; came < blocks && result == MPI_SUCCESS; came++) {
        int i = 0;
        result = MPI_Waitany(blocks, call->requests, &i, MPI_STATUS_IGNORE);
        if (result == MPI_SUCCESS && call->received.peers[i] < call->rank)
            result = messages_isend(call, i, &sends[i]);
    }
    return topology_close(call, result != MPI_SUCCESS ? result : MPI_Waitall(blocks, sends, MPI_STATUSES_IGNORE));
}

const struct operation operation_chaos = {
    TOPOLOGY(messages_complete_peers),
    .execute = chaos_execute,
};
