/* SPDX-License-Identifier: BSD-3-Clause */
/* barrier.c: MPI_Barrier. */
#include "operation.h"

static int barrier_prepare(struct call *call, struct fault *fault)
{
    (void)fault;
    call_blocks(call, 0, 0);
    return 0;
}

static int barrier_run(struct call *call)
{
    return MPI_Barrier(call->comm);
}

const struct operation operation_barrier = {
    .name = "barrier",
    .group = "blocking",
    .bytes_means = "none: no data",
    .shape = OPERATION_NO_DATA,
    .prepare = barrier_prepare,
    .run = barrier_run,
};
