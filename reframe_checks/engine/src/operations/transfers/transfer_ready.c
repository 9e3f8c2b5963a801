/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transfer_ready.c: transfer-4, two-directional in ready mode (Andreev, Voevodin, 1997-2003).
 *
 * A ready send is right only when its receive is posted. Each process says so by an empty message, which is part of
 * the run.
 */
#include "call/messages.h"

static int transfer_ready_run(struct call *call)
{
    if (call->sent.blocks == 0)
        return MPI_SUCCESS;
    const int peer = call->sent.peers[0];
    int result = messages_irecv(call, 0, &call->request);
    if (result == MPI_SUCCESS)
        result = MPI_Sendrecv(NULL, 0, MPI_BYTE, peer, MESSAGES_TAG + 1, NULL, 0, MPI_BYTE, peer, MESSAGES_TAG + 1,
                              call->comm, MPI_STATUS_IGNORE);
    if (result == MPI_SUCCESS)
        result = MPI_Rsend(call->send, call->plain.send, call->type, peer, MESSAGES_TAG, call->comm);
    return result != MPI_SUCCESS ? result : MPI_Wait(&call->request, MPI_STATUS_IGNORE);
}

const struct operation operation_transfer_4 = {
    .name = "transfer-4",
    .group = "transfers",
    .bytes_means = "the message that goes each way",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_pair_peers,
    .pairs = true,
    .moved = 2,
    .run = transfer_ready_run,
};
