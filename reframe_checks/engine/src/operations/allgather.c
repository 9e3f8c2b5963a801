/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather.c: MPI_Allgather. */
#include "operation.h"
#include "pattern.h"

static int allgather_prepare(struct call *call, struct fault *fault)
{
    (void)fault;
    call_blocks(call, 1, call->size);
    return 0;
}

static int allgather_run(struct call *call)
{
    return MPI_Allgather(call->send, call->count, call->type, call->recv, call->count, call->type, call->comm);
}

static bool allgather_check(const struct call *call)
{
    return pattern_is_from_all(call, 0);
}

const struct operation operation_allgather = {
    .name = "allgather",
    .group = "blocking",
    .bytes_means = "the block that each process sends",
    .shape = OPERATION_BLOCKS,
    .prepare = allgather_prepare,
    .run = allgather_run,
    .fill = pattern_fill_block,
    .check = allgather_check,
};
