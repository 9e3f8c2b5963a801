/* SPDX-License-Identifier: BSD-3-Clause */
/* batch.c: one batch on all processes (see batch.h). */
#include "batch/batch.h"

#include "machine/team_agree.h"
#include "machine/team_talk.h"

#include <stdlib.h>

/* What is combined over the processes, all by maximum: a minimum is the maximum of the negative. */
enum {
    EXTREME_FIRST_START, /* negative */
    EXTREME_LAST_START,
    EXTREME_LAST_END,
    EXTREME_LOCAL,
    EXTREME_FIRST_SLOT, /* negative */
    EXTREME_LAST_SLOT,
    EXTREME_LATE,
    EXTREME_OVERRUN,
    EXTREMES
};

int batch_open(struct batch *batch, int64_t capacity, struct fault *fault)
{
    const size_t runs = (size_t)capacity;
    *batch = (struct batch){
        .capacity = capacity,
        .runs = calloc(runs, sizeof *batch->runs),
        .extremes = calloc(runs * EXTREMES, sizeof *batch->extremes),
        .summaries = calloc(runs, sizeof *batch->summaries),
        .ends_ns = calloc(runs, sizeof *batch->ends_ns),
    };
    if (batch->runs == NULL || batch->extremes == NULL || batch->summaries == NULL || batch->ends_ns == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for a batch of %zu runs", runs);
    return 0;
}

void batch_close(struct batch *batch)
{
    free(batch->runs);
    free(batch->extremes);
    free(batch->summaries);
    free(batch->ends_ns);
    *batch = (struct batch){0};
}

int batch_announce(const struct team *team, const struct clock *clock, int64_t lead_ns, struct batch_plan *plan,
                   struct fault *fault)
{
    const int64_t sent_ns = clock_now(clock);
    int64_t words[8] = {plan->runs, sent_ns + lead_ns, plan->slot_ns, plan->operations,
                        plan->look, plan->weather,     plan->done,    sent_ns};
    if (team_broadcast(team, words, 8, MPI_INT64_T, fault))
        return (int)fault->code;
    const int64_t early_ns = words[7] - clock_now(clock) - clock->resolution_ns;
    *plan = (struct batch_plan){words[0], words[1], words[2], words[3], words[4], words[5], words[6], early_ns};
    return 0;
}

static void batch_pack(struct batch *batch, int64_t runs)
{
    for (int64_t l = 0; l < runs; l++) {
        const struct run *const run = &batch->runs[l];
        int64_t *const extreme = batch->extremes + l * EXTREMES;
        extreme[EXTREME_FIRST_START] = -run->start_ns;
        extreme[EXTREME_LAST_START] = run->start_ns;
        extreme[EXTREME_LAST_END] = run->end_ns;
        extreme[EXTREME_LOCAL] = run->end_ns - run->start_ns;
        extreme[EXTREME_FIRST_SLOT] = -run->slot;
        extreme[EXTREME_LAST_SLOT] = run->slot;
        extreme[EXTREME_LATE] = run->late;
        extreme[EXTREME_OVERRUN] = run->overrun;
    }
}

static void batch_unpack(struct batch *batch, const struct batch_plan *plan)
{
    for (int64_t l = 0; l < plan->runs; l++) {
        const struct run *const run = &batch->runs[l];
        const int64_t *const extreme = batch->extremes + l * EXTREMES;
        const int64_t first_slot = -extreme[EXTREME_FIRST_SLOT];
        const bool late = extreme[EXTREME_LATE] != 0 || first_slot != extreme[EXTREME_LAST_SLOT];
        /* Who ended a long run last may miss a slot that another still reaches: that is no fault of its own. */
        const bool excused = l > 0 && !batch_is_valid(&batch->summaries[l - 1]);
        batch->summaries[l] = (struct run_summary){
            .time_ns = (extreme[EXTREME_LAST_END] + extreme[EXTREME_FIRST_START]) / plan->operations,
            .local_ns = extreme[EXTREME_LOCAL] / plan->operations,
            .skew_ns = extreme[EXTREME_LAST_START] + extreme[EXTREME_FIRST_START],
            .start_ns = -extreme[EXTREME_FIRST_START],
            .end_ns = extreme[EXTREME_LAST_END],
            .late = late,
            .overrun = extreme[EXTREME_OVERRUN] != 0,
            .own_late = !excused && (run->late || run->slot > first_slot),
            .own_overrun = run->overrun && !late,
        };
    }
}

int batch_run(struct batch *batch, const struct team *team, const struct scheme *scheme,
              const struct scheme_context *context, const struct batch_plan *plan, struct fault *fault)
{
    if (scheme->batch(context, plan, batch->runs, fault))
        return (int)fault->code;
    batch_pack(batch, plan->runs);
    if (team_maximum(team, batch->extremes, (int)(plan->runs * EXTREMES), MPI_INT64_T, fault))
        return (int)fault->code;
    batch_unpack(batch, plan);
    return 0;
}
