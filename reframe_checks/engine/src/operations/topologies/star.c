/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * star.c: the first process exchanges with all at once; each other one receives, then sends (Andreev, Voevodin).
 */
#include "call/messages.h"

static int star_run(struct call *call)
{
    if (call->received.blocks == 0 || call->rank < call->received.peers[0])
        return messages_exchange(call);
    const int result = messages_recv(call, 0);
    return result != MPI_SUCCESS ? result : messages_send(call, 0);
}

const struct operation operation_star = {
    .name = "star",
    .group = "topologies",
    .bytes_means = "the message that each channel carries each way",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_star_peers,
    .moved = 2,
    .plain_sends = true,
    .run = star_run,
};
