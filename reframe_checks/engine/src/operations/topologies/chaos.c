/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chaos.c: each process sends to the higher ranks, and answers each lower one when its message has come
 * (Andreev, Voevodin).
 */
#include "call/messages.h"

/* Blocks are in the order of ranks: both sides name the same process by the same block. */
static int chaos_run(struct call *call)
{
    const int blocks = call->sent.blocks;
    MPI_Request *const sends = call->requests + blocks;
    int result = MPI_SUCCESS;
    for (int i = 0; i < blocks && result == MPI_SUCCESS; i++)
        result = messages_irecv(call, i, &call->requests[i]);
    for (int i = 0; i < blocks && result == MPI_SUCCESS; i++)
        if (call->sent.peers[i] > call->rank)
            result = messages_isend(call, i, &sends[i]);
    for (int came = 0; came < blocks && result == MPI_SUCCESS; came++) {
        int i = 0;
        result = MPI_Waitany(blocks, call->requests, &i, MPI_STATUS_IGNORE);
        if (result == MPI_SUCCESS && call->received.peers[i] < call->rank)
            result = messages_isend(call, i, &sends[i]);
    }
    return result != MPI_SUCCESS ? result : MPI_Waitall(blocks, sends, MPI_STATUSES_IGNORE);
}

const struct operation operation_chaos = {
    .name = "chaos",
    .group = "topologies",
    .bytes_means = "the message that each channel carries each way",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_complete_peers,
    .moved = 2,
    .plain_sends = true,
    .run = chaos_run,
};
