/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transfer_ready.c: transfer-4, two-directional in ready mode (Andreev, Voevodin, 1997-2003).
 *
 * A ready send is right only when its receive is posted. Each process posts it and says so by an empty message before
 * the run, which is the send and the wait alone; in loops that is a part of the time.
 */
#include "call/messages.h"

static int transfer_ready_post(struct call *call)
{
    if (call->sent.blocks == 0)
        return MPI_SUCCESS;
    const int peer = call->sent.peers[0];
    const int result = messages_irecv(call, 0, &call->request);
    return result != MPI_SUCCESS ? result
                                 : MPI_Sendrecv(NULL, 0, MPI_BYTE, peer, MESSAGES_TAG + 1, NULL, 0, MPI_BYTE, peer,
                                                MESSAGES_TAG + 1, call->comm, MPI_STATUS_IGNORE);
}

static int transfer_ready_run(struct call *call)
{
    if (call->sent.blocks == 0)
        return MPI_SUCCESS;
    const int peer = call->sent.peers[0];
    const int result = MPI_Rsend(call->send, call->plain.send, call->type, peer, MESSAGES_TAG, call->comm);
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
    .ready = transfer_ready_post,
    .run = transfer_ready_run,
};
