/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c: MPI_Reduce. */
#include "operation.h"
#include "pattern.h"

static int reduce_prepare(struct call *call, struct fault *fault)
{
    (void)fault;
    call_blocks(call, 1, call->rank == call->root ? 1 : 0);
    return 0;
}

static int reduce_run(struct call *call)
{
    return MPI_Reduce(call->send, call->recv, call->count, call->type, call->reduction, call->root, call->comm);
}

static void reduce_fill(struct call *call)
{
    pattern_fill_numbers(call, 1);
}

static bool reduce_check(const struct call *call)
{
    return call->rank != call->root || pattern_is_reduced(call, 0, call->size);
}

const struct operation operation_reduce = {
    .name = "reduce",
    .group = "blocking",
    .bytes_means = "the vector that each process sends",
    .shape = OPERATION_VECTOR,
    .rooted = true,
    .reduces = true,
    .prepare = reduce_prepare,
    .run = reduce_run,
    .fill = reduce_fill,
    .check = reduce_check,
};
