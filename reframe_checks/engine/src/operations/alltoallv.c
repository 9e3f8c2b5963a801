/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoallv.c: MPI_Alltoallv with equal counts. */
#include "operation.h"
#include "pattern.h"

static int alltoallv_prepare(struct call *call, struct fault *fault)
{
    call_blocks(call, call->size, call->size);
    return call_equal_counts(call, call->type_size, fault);
}

static int alltoallv_run(struct call *call)
{
    return MPI_Alltoallv(call->send, call->counts, call->displacements, call->type, call->recv, call->counts,
                         call->displacements, call->type, call->comm);
}

static bool alltoallv_check(const struct call *call)
{
    return pattern_is_from_all(call, call->rank);
}

const struct operation operation_alltoallv = {
    .name = "alltoallv",
    .group = "blocking",
    .bytes_means = "the block that each process sends to each",
    .shape = OPERATION_BLOCKS,
    .prepare = alltoallv_prepare,
    .run = alltoallv_run,
    .fill = pattern_fill_blocks,
    .check = alltoallv_check,
};
