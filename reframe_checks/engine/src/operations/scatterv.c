/* SPDX-License-Identifier: BSD-3-Clause */
/* scatterv.c: MPI_Scatterv with equal counts. */
#include "operation.h"
#include "pattern.h"

static int scatterv_prepare(struct call *call, struct fault *fault)
{
    call_blocks(call, call->rank == call->root ? call->size : 0, 1);
    return call_equal_counts(call, call->type_size, fault);
}

static int scatterv_run(struct call *call)
{
    return MPI_Scatterv(call->send, call->counts, call->displacements, call->type, call->recv, call->count, call->type,
                        call->root, call->comm);
}

static void scatterv_fill(struct call *call)
{
    if (call->rank == call->root)
        pattern_fill_blocks(call);
}

static bool scatterv_check(const struct call *call)
{
    return pattern_is_block(call, call->recv, call->root, call->rank);
}

const struct operation operation_scatterv = {
    .name = "scatterv",
    .group = "blocking",
    .bytes_means = "the block that each process receives",
    .shape = OPERATION_BLOCKS,
    .rooted = true,
    .prepare = scatterv_prepare,
    .run = scatterv_run,
    .fill = scatterv_fill,
    .check = scatterv_check,
};
