/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transfers.c: latency and rate between two processes, transfer-1 to transfer-5 (Andreev, Voevodin, 1997-2003).
 *
 * All transfer L bytes in each direction, with a rate of 2 L / T; size 0 gives the latency.
 */
#include "call/messages.h"

#define TRANSFER                                                                                                       \
    .group = "transfers", .shape = OPERATION_VECTOR, OPERATION_AMONG(messages_pair_peers), .pairs = true, .moved = 2

/* One direction at a time: the answer follows the message. */
const struct operation operation_transfer_1 = {
    .bytes_means = "the message that goes there and then back",
    TRANSFER,
    .plain_sends = true,
    .execute = messages_there_and_back,
};

/* Both directions, as the following: MPI_Sendrecv. */
const struct operation operation_transfer_2 = {
    .bytes_means = "the message that goes each way",
    TRANSFER,
    .execute = messages_sendrecv,
};

/* MPI_Isend and MPI_Irecv. */
const struct operation operation_transfer_3 = {
    .bytes_means = "the message that goes each way",
    TRANSFER,
    .plain_sends = true,
    .execute = messages_exchange,
};

/*
 * Both directions in ready mode.
 *
 * A ready send is correct only if its receive is posted. Each process posts it and confirms that by an empty message
 * before the timed part, which is the send and the wait; in loops that is included in the time.
 */
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

static int transfer_ready_execute(struct call *call)
{
    if (call->sent.blocks == 0)
        return MPI_SUCCESS;
    const int peer = call->sent.peers[0];
    const int result = MPI_Rsend(call->send, call->plain.send, call->type, peer, MESSAGES_TAG, call->comm);
    return result != MPI_SUCCESS ? result : MPI_Wait(&call->request, MPI_STATUS_IGNORE);
}

const struct operation operation_transfer_4 = {
    .bytes_means = "the message that goes each way",
    TRANSFER,
    .ready = transfer_ready_post,
    .execute = transfer_ready_execute,
};

/* Both directions by persistent requests. */
const struct operation operation_transfer_5 = {
    .bytes_means = "the message that goes each way",
    TRANSFER,
    .setup = messages_make_persistent,
    .execute = messages_start_persistent,
};
