/* SPDX-License-Identifier: BSD-3-Clause */
/* basic_reductions.c: basic items: allreduce and reduce of 1 and of 10 ints, then a barrier (see basic.c). */
#include "call/call.h"
#include "operation/operation.h"

static int basic_allreduce_run(struct call *call)
{
    const int result = MPI_Allreduce(call->send, call->recv, call->plain.send, call->type, call->reduction, call->comm);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_allreduce_1 = {
    .name = "basic-allreduce-1",
    .group = "basic",
    .bytes_means = "1 int",
    .shape = OPERATION_NO_DATA,
    .fixed_count = 1,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .reduces = REDUCES_ALL,
    .run = basic_allreduce_run,
};

const struct operation operation_basic_allreduce_10 = {
    .name = "basic-allreduce-10",
    .group = "basic",
    .bytes_means = "10 ints",
    .shape = OPERATION_NO_DATA,
    .fixed_count = 10,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .reduces = REDUCES_ALL,
    .run = basic_allreduce_run,
};

static int basic_reduce_run(struct call *call)
{
    const int result =
        MPI_Reduce(call->send, call->recv, call->plain.send, call->type, call->reduction, call->root, call->comm);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_reduce_1 = {
    .name = "basic-reduce-1",
    .group = "basic",
    .bytes_means = "1 int",
    .shape = OPERATION_NO_DATA,
    .fixed_count = 1,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .root = ROOT_RECEIVES,
    .reduces = REDUCES_ALL,
    .run = basic_reduce_run,
};

const struct operation operation_basic_reduce_10 = {
    .name = "basic-reduce-10",
    .group = "basic",
    .bytes_means = "10 ints",
    .shape = OPERATION_NO_DATA,
    .fixed_count = 10,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .root = ROOT_RECEIVES,
    .reduces = REDUCES_ALL,
    .run = basic_reduce_run,
};
