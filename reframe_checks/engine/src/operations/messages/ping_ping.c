/* SPDX-License-Identifier: BSD-3-Clause */
/* ping_ping.c: two processes send to each other at the same time, as PingPing of PMB and IMB: Isend, Recv, Wait. */
#include "call/messages.h"

static int ping_ping_run(struct call *call)
{
    if (call->sent.blocks == 0)
        return MPI_SUCCESS;
    int result = messages_isend(call, 0, &call->request);
    if (result == MPI_SUCCESS)
        result = messages_recv(call, 0);
    return result != MPI_SUCCESS ? result : MPI_Wait(&call->request, MPI_STATUS_IGNORE);
}

const struct operation operation_ping_ping = {
    .name = "ping-ping",
    .group = "point-to-point",
    .bytes_means = "the message that goes each way",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_pair_peers,
    .pairs = true,
    .multi = true,
    .moved = 1,
    .plain_sends = true,
    .run = ping_ping_run,
};
