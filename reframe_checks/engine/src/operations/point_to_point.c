/* SPDX-License-Identifier: BSD-3-Clause */
/* point_to_point.c: ping-pong, ping-ping, sendrecv and exchange, as in PMB and IMB. */
#include "call/messages.h"

#define POINT_TO_POINT(ranks) .group = "point-to-point", OPERATION_AMONG(ranks)

/*
 * A message there and back, as PingPong.
 *
 * The time is of both directions: a message takes half of it, and the bandwidth is bytes over that half.
 */
const struct operation operation_ping_pong = {
    .bytes_means = "the message that goes there and back",
    .shape = OPERATION_VECTOR,
    POINT_TO_POINT(messages_pair_peers),
    .pairs = true,
    .moved = 2,
    .plain_sends = true,
    .execute = messages_there_and_back,
};

/* Two processes send to each other at the same time, as PingPing: Isend, Recv, Wait. */
static int ping_ping_execute(struct call *call)
{
    if (call->sent.blocks == 0)
        return MPI_SUCCESS;
    int result = messages_isend(call, 0, &call->request);
    if (result == MPI_SUCCESS)
        result = messages_recv(call, 0);
    return result != MPI_SUCCESS ? result : MPI_Wait(&call->request, MPI_STATUS_IGNORE);
}

const struct operation operation_ping_ping = {
    .bytes_means = "the message that goes each way",
    .shape = OPERATION_VECTOR,
    POINT_TO_POINT(messages_pair_peers),
    .pairs = true,
    .moved = 1,
    .plain_sends = true,
    .execute = ping_ping_execute,
};

/* A periodic chain in which each process sends to the next, as Sendrecv: two messages per process. */
const struct operation operation_sendrecv = {
    .bytes_means = "the message that each process sends to the next",
    .shape = OPERATION_VECTOR,
    POINT_TO_POINT(messages_chain_peers),
    .moved = 2,
    .execute = messages_sendrecv,
};

/*
 * Each process exchanges with both neighbours of a periodic chain, as Exchange: Isend to both, Recv from both, wait;
 * four messages per process.
 */
static int exchange_execute(struct call *call)
{
    const int blocks = call->sent.blocks;
    int result = MPI_SUCCESS;
    for (int i = 0; i < blocks && result == MPI_SUCCESS; i++)
        result = messages_isend(call, i, &call->requests[i]);
    for (int i = 0; i < blocks && result == MPI_SUCCESS; i++)
        result = messages_recv(call, i);
    return result != MPI_SUCCESS ? result : MPI_Waitall(blocks, call->requests, MPI_STATUSES_IGNORE);
}

const struct operation operation_exchange = {
    .bytes_means = "the message that each process sends to each of its two neighbours",
    .shape = OPERATION_BLOCKS,
    POINT_TO_POINT(messages_neighbour_peers),
    .moved = 4,
    .plain_sends = true,
    .execute = exchange_execute,
};
