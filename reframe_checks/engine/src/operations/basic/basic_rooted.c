/* SPDX-License-Identifier: BSD-3-Clause */
/* basic_rooted.c: basic items: bcast and gather of 1 int, then a barrier (see basic.c). */
#include "call/call.h"
#include "operation/operation.h"

static int basic_bcast_1_run(struct call *call)
{
    const int result = MPI_Bcast(call->recv, call->plain.recv, call->type, call->root, call->comm);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_bcast_1 = {
    .name = "basic-bcast-1",
    .group = "basic",
    .bytes_means = "1 int",
    .shape = OPERATION_NO_DATA,
    .fixed_count = 1,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .root = ROOT_SENDS,
    .one_buffer = true,
    .run = basic_bcast_1_run,
};

static int basic_gather_1_run(struct call *call)
{
    const int result = MPI_Gather(call->send, call->plain.send, call->type, call->recv, call->plain.recv, call->type,
                                  call->root, call->comm);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_gather_1 = {
    .name = "basic-gather-1",
    .group = "basic",
    .bytes_means = "1 int of each process",
    .shape = OPERATION_NO_DATA,
    .fixed_count = 1,
    .sends = SHARE_BLOCK,
    .receives = SHARE_EACH,
    .root = ROOT_RECEIVES,
    .run = basic_gather_1_run,
};
