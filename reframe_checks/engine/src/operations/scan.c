/* SPDX-License-Identifier: BSD-3-Clause */
/* scan.c: MPI_Scan. */
#include "operation.h"
#include "pattern.h"

static int scan_prepare(struct call *call, struct fault *fault)
{
    (void)fault;
    call_blocks(call, 1, 1);
    return 0;
}

static int scan_run(struct call *call)
{
    return MPI_Scan(call->send, call->recv, call->count, call->type, call->reduction, call->comm);
}

static void scan_fill(struct call *call)
{
    pattern_fill_numbers(call, 1);
}

static bool scan_check(const struct call *call)
{
    return pattern_is_reduced(call, 0, call->rank + 1);
}

const struct operation operation_scan = {
    .name = "scan",
    .group = "blocking",
    .bytes_means = "the vector that each process sends",
    .shape = OPERATION_VECTOR,
    .reduces = true,
    .prepare = scan_prepare,
    .run = scan_run,
    .fill = scan_fill,
    .check = scan_check,
};
