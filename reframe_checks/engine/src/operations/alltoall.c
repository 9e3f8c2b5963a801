/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall.c: MPI_Alltoall. */
#include "operation.h"
#include "pattern.h"

static int alltoall_prepare(struct call *call, struct fault *fault)
{
    (void)fault;
    call_blocks(call, call->size, call->size);
    return 0;
}

static int alltoall_run(struct call *call)
{
    return MPI_Alltoall(call->send, call->count, call->type, call->recv, call->count, call->type, call->comm);
}

static bool alltoall_check(const struct call *call)
{
    return pattern_is_from_all(call, call->rank);
}

const struct operation operation_alltoall = {
    .name = "alltoall",
    .group = "blocking",
    .bytes_means = "the block that each process sends to each",
    .shape = OPERATION_BLOCKS,
    .prepare = alltoall_prepare,
    .run = alltoall_run,
    .fill = pattern_fill_blocks,
    .check = alltoall_check,
};
