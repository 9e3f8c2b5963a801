/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheme_window.c: every run starts at a time that all processes know (M. Kurnosov, MPIPerf, 2012).
 *
 * A process that has missed the start of a slot takes the next free one. Processes that so end up in different slots
 * are found when the batch is combined (batch.c); an operation that synchronises brings them together again.
 * Each process adds its own arrival offset to the start of the slot, also in a batch without slots.
 */
#include "scheme.h"

#include "slot.h"

int scheme_window_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs)
{
    const struct clock *const clock = context->clock;
    int result = MPI_SUCCESS;
    int64_t slot = 0;
    for (int64_t l = 0; l < plan->runs && result == MPI_SUCCESS; l++, slot++) {
        slot = slot_next_free(clock_now(clock), plan->start_ns, plan->slot_ns, slot);
        const int64_t begin_ns = plan->start_ns + slot * plan->slot_ns;
        const int64_t planned_ns = begin_ns + context->arrival_ns;
        if (context->buffers != NULL)
            buffers_next(context->buffers, context->call);
        const int64_t start_ns = clock_wait(clock, planned_ns);
        result = context->operation->run(context->call);
        const int64_t end_ns = clock_now(clock);
        runs[l] = (struct run){
            .start_ns = start_ns,
            .end_ns = end_ns,
            .slot = slot,
            .late = plan->slot_ns > 0 && start_ns > planned_ns + context->tolerance_ns,
            .overrun = plan->slot_ns > 0 && end_ns > begin_ns + plan->slot_ns,
        };
    }
    return result;
}
