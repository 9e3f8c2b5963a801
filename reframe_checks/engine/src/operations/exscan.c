/* SPDX-License-Identifier: BSD-3-Clause */
/* exscan.c: MPI_Exscan; the result of rank 0 is undefined. */
#include "operation.h"
#include "pattern.h"

static int exscan_prepare(struct call *call, struct fault *fault)
{
    (void)fault;
    call_blocks(call, 1, 1);
    return 0;
}

static int exscan_run(struct call *call)
{
    return MPI_Exscan(call->send, call->recv, call->count, call->type, call->reduction, call->comm);
}

static void exscan_fill(struct call *call)
{
    pattern_fill_numbers(call, 1);
}

static bool exscan_check(const struct call *call)
{
    return call->rank == 0 || pattern_is_reduced(call, 0, call->rank);
}

const struct operation operation_exscan = {
    .name = "exscan",
    .group = "blocking",
    .bytes_means = "the vector that each process sends",
    .shape = OPERATION_VECTOR,
    .reduces = true,
    .prepare = exscan_prepare,
    .run = exscan_run,
    .fill = exscan_fill,
    .check = exscan_check,
};
