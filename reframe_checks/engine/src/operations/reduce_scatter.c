/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter.c: MPI_Reduce_scatter with equal counts. */
#include "operation.h"
#include "pattern.h"

static int reduce_scatter_prepare(struct call *call, struct fault *fault)
{
    call_blocks(call, call->size, 1);
    return call_equal_counts(call, call->type_size, fault);
}

static int reduce_scatter_run(struct call *call)
{
    return MPI_Reduce_scatter(call->send, call->recv, call->counts, call->type, call->reduction, call->comm);
}

static void reduce_scatter_fill(struct call *call)
{
    pattern_fill_numbers(call, call->size);
}

static bool reduce_scatter_check(const struct call *call)
{
    return pattern_is_reduced(call, (int64_t)call->rank * call->count, call->size);
}

const struct operation operation_reduce_scatter = {
    .name = "reduce_scatter",
    .group = "blocking",
    .bytes_means = "the block of the result that each process receives; it sends as many blocks as processes",
    .shape = OPERATION_BLOCKS,
    .reduces = true,
    .prepare = reduce_scatter_prepare,
    .run = reduce_scatter_run,
    .fill = reduce_scatter_fill,
    .check = reduce_scatter_check,
};
