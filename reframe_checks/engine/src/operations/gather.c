/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.c: MPI_Gather. */
#include "operation.h"
#include "pattern.h"

static int gather_prepare(struct call *call, struct fault *fault)
{
    (void)fault;
    call_blocks(call, 1, call->rank == call->root ? call->size : 0);
    return 0;
}

static int gather_run(struct call *call)
{
    return MPI_Gather(call->send, call->count, call->type, call->recv, call->count, call->type, call->root, call->comm);
}

static bool gather_check(const struct call *call)
{
    return call->rank != call->root || pattern_is_from_all(call, 0);
}

const struct operation operation_gather = {
    .name = "gather",
    .group = "blocking",
    .bytes_means = "the block that each process sends",
    .shape = OPERATION_BLOCKS,
    .rooted = true,
    .prepare = gather_prepare,
    .run = gather_run,
    .fill = pattern_fill_block,
    .check = gather_check,
};
