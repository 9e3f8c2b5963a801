/* SPDX-License-Identifier: BSD-3-Clause */
/* basic_both_ways.c: basic items: a message each way between the first two processes, then a barrier (see basic.c). */
#include "call/messages.h"

static int basic_sendrecv_1_run(struct call *call)
{
    const int result = messages_sendrecv(call);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_sendrecv_1 = {
    .name = "basic-sendrecv-1",
    .group = "basic",
    .bytes_means = "1 int each way: MPI_Sendrecv",
    .shape = OPERATION_NO_DATA,
    .fixed_count = 1,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .pairs = true,
    .peers = messages_pair_peers,
    .run = basic_sendrecv_1_run,
};

static int basic_there_and_back_run(struct call *call)
{
    const int result = messages_there_and_back(call);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_send_recv_1 = {
    .name = "basic-send-recv-1",
    .group = "basic",
    .bytes_means = "1 int there and back: MPI_Send, MPI_Recv",
    .shape = OPERATION_NO_DATA,
    .fixed_count = 1,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .pairs = true,
    .peers = messages_pair_peers,
    .run = basic_there_and_back_run,
};

const struct operation operation_basic_signal = {
    .name = "basic-signal",
    .group = "basic",
    .bytes_means = "0 bytes there and back: twice the latency",
    .shape = OPERATION_NO_DATA,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .pairs = true,
    .peers = messages_pair_peers,
    .run = basic_there_and_back_run,
};
