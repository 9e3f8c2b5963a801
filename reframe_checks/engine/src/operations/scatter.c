/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter.c: MPI_Scatter. */
#include "operation.h"
#include "pattern.h"

static int scatter_prepare(struct call *call, struct fault *fault)
{
    (void)fault;
    call_blocks(call, call->rank == call->root ? call->size : 0, 1);
    return 0;
}

static int scatter_run(struct call *call)
{
    return MPI_Scatter(call->send, call->count, call->type, call->recv, call->count, call->type, call->root,
                       call->comm);
}

static void scatter_fill(struct call *call)
{
    if (call->rank == call->root)
        pattern_fill_blocks(call);
}

static bool scatter_check(const struct call *call)
{
    return pattern_is_block(call, call->recv, call->root, call->rank);
}

const struct operation operation_scatter = {
    .name = "scatter",
    .group = "blocking",
    .bytes_means = "the block that each process receives",
    .shape = OPERATION_BLOCKS,
    .rooted = true,
    .prepare = scatter_prepare,
    .run = scatter_run,
    .fill = scatter_fill,
    .check = scatter_check,
};
