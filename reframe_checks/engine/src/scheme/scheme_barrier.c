/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheme_barrier.c: a barrier before each run, the engine's own. Processes leave it at different times (error E5 of
 * M. Kurnosov, MPIPerf, 2012): the start skew of the record shows by how much.
 *
 * mpi-barrier, for study only, takes MPI_Barrier in its place and starts as it returns, as the collectives of IMB (from
 * 2017 on) and OSU do: who leaves that barrier first differs from library to library, and so does what it hides.
 */
#include "scheme/scheme_barrier.h"

#include "machine/team_agree.h"

int scheme_barrier_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                         struct fault *fault)
{
    for (int64_t l = 0; l < plan->runs; l++) {
        runs[l] = (struct run){.slot = l};
        if (team_barrier(context->team, fault) ||
            scheme_run(context, clock_now(context->clock) + context->arrival_ns, plan->operations, &runs[l], fault))
            return (int)fault->code;
    }
    return 0;
}

int scheme_mpi_barrier_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                             struct fault *fault)
{
    for (int64_t l = 0; l < plan->runs; l++) {
        struct run *const run = &runs[l];
        *run = (struct run){.slot = l};
        if (context->buffers != NULL)
            buffers_next(context->buffers, context->call);
        int result = scheme_ready(context);
        if (team_mpi(fault, MPI_Barrier(context->team->measured), "MPI_Barrier"))
            return (int)fault->code;
        run->start_ns = context->arrival_ns > 0
                            ? clock_wait(context->clock, clock_now(context->clock) + context->arrival_ns)
                            : clock_now(context->clock);
        if (result == MPI_SUCCESS)
            result = scheme_operations(context, plan->operations);
        run->end_ns = clock_now(context->clock);
        if (team_mpi(fault, result, context->operation->name))
            return (int)fault->code;
    }
    return 0;
}
