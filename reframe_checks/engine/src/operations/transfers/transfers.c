/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transfers.c: latency and rate between two processes, transfer-1 to transfer-3 (Andreev, Voevodin, 1997-2003).
 *
 * In all of them L bytes go each way and the rate is 2 L / T; size 0 gives the latency.
 */
#include "call/messages.h"

/* One-directional: the answer follows the message. */
const struct operation operation_transfer_1 = {
    .name = "transfer-1",
    .group = "transfers",
    .bytes_means = "the message that goes there and then back",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_pair_peers,
    .pairs = true,
    .moved = 2,
    .plain_sends = true,
    .run = messages_there_and_back,
};

/* Two-directional, as the others: MPI_Sendrecv. */
const struct operation operation_transfer_2 = {
    .name = "transfer-2",
    .group = "transfers",
    .bytes_means = "the message that goes each way",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_pair_peers,
    .pairs = true,
    .moved = 2,
    .run = messages_sendrecv,
};

/* MPI_Isend and MPI_Irecv. */
const struct operation operation_transfer_3 = {
    .name = "transfer-3",
    .group = "transfers",
    .bytes_means = "the message that goes each way",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_pair_peers,
    .pairs = true,
    .moved = 2,
    .plain_sends = true,
    .run = messages_exchange,
};
