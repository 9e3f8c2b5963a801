/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheme_barrier.c: a barrier before each run, the engine's own. Processes leave it at different times (error E5 of
 * M. Kurnosov, MPIPerf, 2012): the start skew of the record shows by how much.
 */
#include "scheme/scheme_barrier.h"

#include "machine/team_agree.h"

int scheme_barrier_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                         struct fault *fault)
{
    for (int64_t l = 0; l < plan->runs; l++) {
        runs[l] = (struct run){.slot = l};
        if (team_barrier(context->team, fault) ||
            scheme_run(context, clock_now(context->clock) + context->arrival_ns, &runs[l], fault))
            return (int)fault->code;
    }
    return 0;
}
