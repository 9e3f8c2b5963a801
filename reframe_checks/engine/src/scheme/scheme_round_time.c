/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheme_round_time.c: every run has a start time of its own (S. Hunold, A. Carpen-Amarie: MPI benchmarking revisited:
 * experimental design and reproducibility, 2015, and their Round-Time scheme of 2018).
 *
 * After a barrier rank 0 announces a time three broadcasts ahead, and all wait for it. There are no slots to overrun,
 * and a late start spoils only its own run.
 */
#include "scheme/scheme_round_time.h"

#include "machine/team_agree.h"
#include "machine/team_talk.h"

/* The lead is that of a batch, two broadcasts and a margin. */
static const double ROUND_TIME_LEADS = 1.5;

int scheme_round_time_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                            struct fault *fault)
{
    const struct team *const team = context->team;
    const int64_t ahead_ns = (int64_t)(ROUND_TIME_LEADS * (double)context->lead_ns);
    for (int64_t l = 0; l < plan->runs; l++) {
        struct run *const run = &runs[l];
        if (team_barrier(team, fault))
            return (int)fault->code;
        int64_t start_ns = clock_now(context->clock) + ahead_ns;
        if (team_broadcast(team, &start_ns, 1, MPI_INT64_T, fault) ||
            scheme_run(context, start_ns + context->arrival_ns, plan->operations, run, fault))
            return (int)fault->code;
        run->slot = l;
        run->late = run->start_ns > start_ns + context->arrival_ns + context->tolerance_ns;
        run->overrun = false;
    }
    return 0;
}
