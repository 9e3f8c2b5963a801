/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * basic.c: what the cost of the basic items is measured against (Andreev, Voevodin, 1997-2003).
 *
 * DT is the time of basic-timer: two readings with nothing between them. DB is that of basic-barrier less DT. Each
 * other item is its calls and a barrier; its cost is its time less DT and DB (cost.c).
 */
#include "call/call.h"
#include "operation/operation.h"

static int basic_timer_run(struct call *call)
{
    (void)call;
    return MPI_SUCCESS;
}

const struct operation operation_basic_timer = {
    .name = "basic-timer",
    .group = "basic",
    .bytes_means = "none: two readings of the timer",
    .shape = OPERATION_NO_DATA,
    .known_time = true,
    .run = basic_timer_run,
};

static int basic_barrier_run(struct call *call)
{
    return MPI_Barrier(call->comm);
}

const struct operation operation_basic_barrier = {
    .name = "basic-barrier",
    .group = "basic",
    .bytes_means = "none: MPI_Barrier",
    .shape = OPERATION_NO_DATA,
    .run = basic_barrier_run,
};

static int basic_iprobe_run(struct call *call)
{
    int flag = 0;
    const int result = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, call->comm, &flag, MPI_STATUS_IGNORE);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_iprobe = {
    .name = "basic-iprobe",
    .group = "basic",
    .bytes_means = "none: MPI_Iprobe",
    .shape = OPERATION_NO_DATA,
    .run = basic_iprobe_run,
};
