/* SPDX-License-Identifier: BSD-3-Clause */
/* ring.c: all send to the right and receive from the left, then the other way round (Andreev, Voevodin). */
#include "call/messages.h"

/* Blocks as messages_neighbour_peers gives them: 0 is the left neighbour, 1 the right one. */
static int ring_one_way(struct call *call, int to)
{
    int result = messages_isend(call, to, &call->requests[0]);
    if (result == MPI_SUCCESS)
        result = messages_irecv(call, 1 - to, &call->requests[1]);
    return result != MPI_SUCCESS ? result : MPI_Waitall(2, call->requests, MPI_STATUSES_IGNORE);
}

static int ring_run(struct call *call)
{
    if (call->sent.blocks == 0)
        return MPI_SUCCESS;
    const int result = ring_one_way(call, 1);
    return result != MPI_SUCCESS ? result : ring_one_way(call, 0);
}

const struct operation operation_ring = {
    .name = "ring",
    .group = "topologies",
    .bytes_means = "the message that each channel carries each way",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_neighbour_peers,
    .moved = 2,
    .plain_sends = true,
    .run = ring_run,
};
