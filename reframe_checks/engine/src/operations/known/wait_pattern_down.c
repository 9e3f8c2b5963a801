/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait_pattern_down.c: rank i waits n - i microseconds; the true time on n processes is n microseconds.
 *
 * A self-check of the engine with a known answer (Kurnosov, MPIPerf, 2012). It sees only local durations: a wrong
 * clock offset does not show in it, hence the clock records.
 */
#include "call/call.h"
#include "operation/operation.h"

static int wait_pattern_down_run(struct call *call)
{
    clock_wait(call->clock, clock_now(call->clock) + 1000 * (call->size - call->rank));
    return MPI_SUCCESS;
}

const struct operation operation_wait_pattern_down = {
    .name = "wait-pattern-down",
    .group = "wait-patterns",
    .bytes_means = "none: no data",
    .shape = OPERATION_NO_DATA,
    .known_time = true,
    .run = wait_pattern_down_run,
};
