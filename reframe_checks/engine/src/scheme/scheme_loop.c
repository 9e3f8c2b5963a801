/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheme_loop.c: the classical loops: one barrier, many operations back to back, the time divided by their number.
 *
 * For study only: inside the loop nothing keeps processes together, so a process waits for what others still do of the
 * operation before, or runs ahead of them (error E6 of M. Kurnosov, MPIPerf, 2012); with a rotating root the operations
 * overlap and their mean can be less than any single one takes (error E3).
 */
#include "scheme/scheme_loop.h"

#include "machine/team_agree.h"

/* One run of plan->operations; operation i has root i mod size where the root rotates. */
static int scheme_loop_run(const struct scheme_context *context, const struct batch_plan *plan, bool rotates,
                           struct run *run, struct fault *fault)
{
    struct call *const call = context->call;
    const int root = call->root;
    int result = MPI_SUCCESS;
    if (team_barrier(context->team, fault))
        return (int)fault->code;
    run->start_ns = clock_now(context->clock);
    for (int64_t i = 0; i < plan->operations && result == MPI_SUCCESS; i++) {
        if (rotates)
            call->root = (int)(i % call->size);
        if (context->buffers != NULL)
            buffers_next(context->buffers, call);
        result = scheme_ready(context);
        if (result == MPI_SUCCESS)
            result = context->operation->run(call);
        if (context->ends_ns != NULL)
            context->ends_ns[i] = clock_now(context->clock);
    }
    run->end_ns = clock_now(context->clock);
    call->root = root;
    return team_mpi(fault, result, context->operation->name);
}

static int scheme_loop_runs(const struct scheme_context *context, const struct batch_plan *plan, bool rotates,
                            struct run *runs, struct fault *fault)
{
    for (int64_t l = 0; l < plan->runs; l++) {
        runs[l] = (struct run){.slot = l};
        if (scheme_loop_run(context, plan, rotates, &runs[l], fault))
            return (int)fault->code;
    }
    return 0;
}

int scheme_loop_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                      struct fault *fault)
{
    return scheme_loop_runs(context, plan, false, runs, fault);
}

int scheme_rotating_root_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                               struct fault *fault)
{
    return scheme_loop_runs(context, plan, true, runs, fault);
}
