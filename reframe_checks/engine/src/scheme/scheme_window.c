/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheme_window.c: every run starts at a time that all processes know (M. Kurnosov, MPIPerf, 2012).
 *
 * A process that has missed the start of a slot takes the next free one. Processes that so end up in different slots
 * are found when the batch is combined (batch.c); an operation that synchronises brings them together again.
 * Each process adds its own arrival offset to the start of the slot, also in a batch without slots.
 * Nobody leaves before the last slot is over: what follows a batch would share the network with the last run.
 */
#include "scheme/scheme_window.h"

#include "rules/slot.h"

int scheme_window_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                        struct fault *fault)
{
    int64_t slot = 0;
    for (int64_t l = 0; l < plan->runs; l++, slot++) {
        struct run *const run = &runs[l];
        slot = slot_next_free(clock_now(context->clock), plan->start_ns, plan->slot_ns, slot);
        const int64_t begin_ns = plan->start_ns + slot * plan->slot_ns;
        const int64_t planned_ns = begin_ns + context->arrival_ns;
        if (scheme_run(context, planned_ns, plan->operations, run, fault))
            return (int)fault->code;
        run->slot = slot;
        run->late = plan->slot_ns > 0 && run->start_ns > planned_ns + context->tolerance_ns;
        run->overrun = plan->slot_ns > 0 && run->end_ns > begin_ns + plan->slot_ns;
    }
    clock_wait(context->clock, plan->start_ns + slot * plan->slot_ns);
    return 0;
}
