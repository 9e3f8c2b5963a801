/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * basic_one_way.c: basic items: the first process sends 10 ints to the second, then a barrier (see basic.c).
 */
#include "call/messages.h"

static int basic_send_10_run(struct call *call)
{
    int result = MPI_SUCCESS;
    if (call->sent.blocks > 0)
        result = messages_send(call, 0);
    else if (call->received.blocks > 0)
        result = messages_recv(call, 0);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_send_10 = {
    .name = "basic-send-10",
    .group = "basic",
    .bytes_means = "10 ints: MPI_Send",
    .shape = OPERATION_NO_DATA,
    .fixed_count = 10,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .pairs = true,
    .peers = messages_one_way_peers,
    .run = basic_send_10_run,
};

static int basic_isend_10_run(struct call *call)
{
    int result = MPI_SUCCESS;
    if (call->sent.blocks > 0)
        result = messages_isend(call, 0, &call->request);
    else if (call->received.blocks > 0)
        result = messages_recv(call, 0);
    if (result == MPI_SUCCESS && call->sent.blocks > 0)
        result = MPI_Wait(&call->request, MPI_STATUS_IGNORE);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_isend_10 = {
    .name = "basic-isend-10",
    .group = "basic",
    .bytes_means = "10 ints: MPI_Isend, MPI_Wait",
    .shape = OPERATION_NO_DATA,
    .fixed_count = 10,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .pairs = true,
    .peers = messages_one_way_peers,
    .run = basic_isend_10_run,
};
