/* SPDX-License-Identifier: BSD-3-Clause */
/* gatherv.c: MPI_Gatherv with equal counts. */
#include "operation.h"
#include "pattern.h"

static int gatherv_prepare(struct call *call, struct fault *fault)
{
    call_blocks(call, 1, call->rank == call->root ? call->size : 0);
    return call_equal_counts(call, call->type_size, fault);
}

static int gatherv_run(struct call *call)
{
    return MPI_Gatherv(call->send, call->count, call->type, call->recv, call->counts, call->displacements, call->type,
                       call->root, call->comm);
}

static bool gatherv_check(const struct call *call)
{
    return call->rank != call->root || pattern_is_from_all(call, 0);
}

const struct operation operation_gatherv = {
    .name = "gatherv",
    .group = "blocking",
    .bytes_means = "the block that each process sends",
    .shape = OPERATION_BLOCKS,
    .rooted = true,
    .prepare = gatherv_prepare,
    .run = gatherv_run,
    .fill = pattern_fill_block,
    .check = gatherv_check,
};
