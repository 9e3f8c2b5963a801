/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait_pattern_null.c: returns at once; the true time is 0.
 *
 * A self-check of the engine with a known answer (Kurnosov, MPIPerf, 2012). It sees only local durations: a wrong
 * clock offset does not show in it, hence the clock records.
 */
#include "call/call.h"
#include "operation/operation.h"

static int wait_pattern_null_run(struct call *call)
{
    (void)call;
    return MPI_SUCCESS;
}

const struct operation operation_wait_pattern_null = {
    .name = "wait-pattern-null",
    .group = "wait-patterns",
    .bytes_means = "none: no data",
    .shape = OPERATION_NO_DATA,
    .known_time = true,
    .run = wait_pattern_null_run,
};
