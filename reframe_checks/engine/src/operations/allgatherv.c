/* SPDX-License-Identifier: BSD-3-Clause */
/* allgatherv.c: MPI_Allgatherv with equal counts. */
#include "operation.h"
#include "pattern.h"

static int allgatherv_prepare(struct call *call, struct fault *fault)
{
    call_blocks(call, 1, call->size);
    return call_equal_counts(call, call->type_size, fault);
}

static int allgatherv_run(struct call *call)
{
    return MPI_Allgatherv(call->send, call->count, call->type, call->recv, call->counts, call->displacements,
                          call->type, call->comm);
}

static bool allgatherv_check(const struct call *call)
{
    return pattern_is_from_all(call, 0);
}

const struct operation operation_allgatherv = {
    .name = "allgatherv",
    .group = "blocking",
    .bytes_means = "the block that each process sends",
    .shape = OPERATION_BLOCKS,
    .prepare = allgatherv_prepare,
    .run = allgatherv_run,
    .fill = pattern_fill_block,
    .check = allgatherv_check,
};
