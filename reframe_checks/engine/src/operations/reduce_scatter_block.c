/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter_block.c: MPI_Reduce_scatter_block. */
#include "operation.h"
#include "pattern.h"

static int reduce_scatter_block_prepare(struct call *call, struct fault *fault)
{
    (void)fault;
    call_blocks(call, call->size, 1);
    return 0;
}

static int reduce_scatter_block_run(struct call *call)
{
    return MPI_Reduce_scatter_block(call->send, call->recv, call->count, call->type, call->reduction, call->comm);
}

static void reduce_scatter_block_fill(struct call *call)
{
    pattern_fill_numbers(call, call->size);
}

static bool reduce_scatter_block_check(const struct call *call)
{
    return pattern_is_reduced(call, (int64_t)call->rank * call->count, call->size);
}

const struct operation operation_reduce_scatter_block = {
    .name = "reduce_scatter_block",
    .group = "blocking",
    .bytes_means = "the block of the result that each process receives; it sends as many blocks as processes",
    .shape = OPERATION_BLOCKS,
    .reduces = true,
    .prepare = reduce_scatter_block_prepare,
    .run = reduce_scatter_block_run,
    .fill = reduce_scatter_block_fill,
    .check = reduce_scatter_block_check,
};
