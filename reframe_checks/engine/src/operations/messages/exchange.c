/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange.c: each process exchanges with both neighbours of a periodic chain, as Exchange of PMB and IMB: Isend to
 * both, Recv from both, wait; four messages a process.
 */
#include "call/messages.h"

static int exchange_run(struct call *call)
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
    .name = "exchange",
    .group = "point-to-point",
    .bytes_means = "the message that each process sends to each of its two neighbours",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_neighbour_peers,
    .multi = true,
    .moved = 4,
    .plain_sends = true,
    .run = exchange_run,
};
