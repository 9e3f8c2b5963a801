/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoallw.c: MPI_Alltoallw with equal counts and types; its displacements are in bytes. */
#include "operation.h"
#include "pattern.h"

static int alltoallw_prepare(struct call *call, struct fault *fault)
{
    call_blocks(call, call->size, call->size);
    return call_equal_counts(call, 1, fault) || call_equal_types(call, fault) ? (int)fault->code : 0;
}

static int alltoallw_run(struct call *call)
{
    return MPI_Alltoallw(call->send, call->counts, call->displacements, call->types, call->recv, call->counts,
                         call->displacements, call->types, call->comm);
}

static bool alltoallw_check(const struct call *call)
{
    return pattern_is_from_all(call, call->rank);
}

const struct operation operation_alltoallw = {
    .name = "alltoallw",
    .group = "blocking",
    .bytes_means = "the block that each process sends to each",
    .shape = OPERATION_BLOCKS,
    .prepare = alltoallw_prepare,
    .run = alltoallw_run,
    .fill = pattern_fill_blocks,
    .check = alltoallw_check,
};
