/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce.c: MPI_Allreduce. */
#include "operation.h"
#include "pattern.h"

static int allreduce_prepare(struct call *call, struct fault *fault)
{
    (void)fault;
    call_blocks(call, 1, 1);
    return 0;
}

static int allreduce_run(struct call *call)
{
    return MPI_Allreduce(call->send, call->recv, call->count, call->type, call->reduction, call->comm);
}

static void allreduce_fill(struct call *call)
{
    pattern_fill_numbers(call, 1);
}

static bool allreduce_check(const struct call *call)
{
    return pattern_is_reduced(call, 0, call->size);
}

const struct operation operation_allreduce = {
    .name = "allreduce",
    .group = "blocking",
    .bytes_means = "the vector that each process sends",
    .shape = OPERATION_VECTOR,
    .reduces = true,
    .prepare = allreduce_prepare,
    .run = allreduce_run,
    .fill = allreduce_fill,
    .check = allreduce_check,
};
