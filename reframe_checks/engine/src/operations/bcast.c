/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast.c: MPI_Bcast; the buffer is the send buffer on every process. */
#include "operation.h"
#include "pattern.h"

static int bcast_prepare(struct call *call, struct fault *fault)
{
    (void)fault;
    call_blocks(call, 1, 0);
    return 0;
}

static int bcast_run(struct call *call)
{
    return MPI_Bcast(call->send, call->count, call->type, call->root, call->comm);
}

static void bcast_fill(struct call *call)
{
    if (call->rank == call->root)
        pattern_fill_block(call);
}

static bool bcast_check(const struct call *call)
{
    return pattern_is_block(call, call->send, call->root, 0);
}

const struct operation operation_bcast = {
    .name = "bcast",
    .group = "blocking",
    .bytes_means = "the vector that the root sends",
    .shape = OPERATION_VECTOR,
    .rooted = true,
    .prepare = bcast_prepare,
    .run = bcast_run,
    .fill = bcast_fill,
    .check = bcast_check,
};
