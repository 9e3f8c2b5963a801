/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * batch.c: the timed path, in the order of time: rank 0 announces a start (batch_announce), every process waits for it,
 * calls the operation and reads the clock (batch_rep, by the scheme), and the readings of all processes are combined
 * (batch_perform).
 */
#include "batch/batch.h"

#include "rules/slot.h"

#include <stdlib.h>

int batch_announce(const struct team *team, const struct clock *clock, int64_t lead_ns, struct batch_plan *plan,
                   struct fault *fault)
{
    const int64_t sent_ns = clock_now(clock);
    int64_t values[8] = {plan->reps,        sent_ns + lead_ns, plan->slot_ns, plan->operations,
                         plan->clock_check, plan->probes,      plan->done,    sent_ns};
    if (team_broadcast(team, values, 8, MPI_INT64_T, fault))
        return (int)fault->code;
    const int64_t early_ns = values[7] - clock_now(clock) - clock->resolution_ns;
    *plan = (struct batch_plan){values[0], values[1], values[2], values[3], values[4], values[5], values[6], early_ns};
    return 0;
}

/* Prepare an execution: untimed, except in loops; return the MPI result. */
static int batch_prepare(const struct batch_context *context)
{
    if (context->buffers != NULL)
        buffers_next(context->buffers, context->call);
    const bool ready = context->call->idle || context->operation->ready == NULL;
    return ready ? MPI_SUCCESS : context->operation->ready(context->call);
}

/* Execute the operation once, unless this process is idle; return the MPI result. */
static int batch_execute_once(const struct batch_context *context)
{
    return context->call->idle ? MPI_SUCCESS : context->operation->execute(context->call);
}

/* Execute operations back to back, the first of which is prepared; return the MPI result. */
static int batch_execute(const struct batch_context *context, int64_t operations)
{
    int result = batch_execute_once(context);
    for (int64_t i = 1; i < operations && result == MPI_SUCCESS; i++) {
        result = batch_prepare(context);
        if (result == MPI_SUCCESS)
            result = batch_execute_once(context);
    }
    return result;
}

/* After a repetition, untimed; return its MPI result, or that of what follows it. */
static int batch_finish(const struct batch_context *context, int result)
{
    const bool finishes = result == MPI_SUCCESS && context->operation->finish != NULL && !context->call->idle;
    return finishes ? context->operation->finish(context->call) : result;
}

/* One repetition: wait for the planned start, call, and stop. */
static int batch_rep(const struct batch_context *context, int64_t planned_ns, int64_t operations, struct rep *rep,
                     struct fault *fault)
{
    int result = batch_prepare(context);
    rep->start_ns = clock_wait(context->clock, planned_ns);
    if (result == MPI_SUCCESS)
        result = batch_execute(context, operations);
    rep->end_ns = clock_now(context->clock);
    return team_mpi(fault, batch_finish(context, result), context->operation->name);
}

/*
 * window: every repetition starts at a global time that all processes have (M. Kurnosov, MPIPerf, 2012).
 *
 * A process that has missed the start of a slot takes the next free one. Processes that are in different slots because
 * of that are detected when the batch is combined; an operation that synchronises brings them together again. Each
 * process adds its arrival offset to the start of the slot, also in a batch without slots. No process returns before
 * the last slot has ended: what follows a batch would share the network with the last repetition.
 */
static int batch_window(const struct batch_context *context, const struct batch_plan *plan, struct rep *reps,
                        struct fault *fault)
{
    int64_t slot = 0;
    for (int64_t l = 0; l < plan->reps; l++, slot++) {
        struct rep *const rep = &reps[l];
        slot = slot_next_free(clock_now(context->clock), plan->start_ns, plan->slot_ns, slot);
        const int64_t begin_ns = plan->start_ns + slot * plan->slot_ns;
        const int64_t planned_ns = begin_ns + context->arrival_ns;
        if (batch_rep(context, planned_ns, plan->operations, rep, fault))
            return (int)fault->code;
        rep->slot = slot;
        rep->late = plan->slot_ns > 0 && rep->start_ns > planned_ns + context->tolerance_ns;
        rep->overrun = plan->slot_ns > 0 && rep->end_ns > begin_ns + plan->slot_ns;
    }
    clock_wait(context->clock, plan->start_ns + slot * plan->slot_ns);
    return 0;
}

/* The lead is that of a batch, two broadcasts and a margin. */
static const double ROUND_TIME_LEADS = 1.5;

/*
 * round-time: every repetition has a start time of its own (S. Hunold, A. Carpen-Amarie: MPI benchmarking revisited:
 * experimental design and reproducibility, 2015, and their Round-Time scheme of 2018).
 *
 * After a barrier rank 0 announces a time three broadcasts ahead, for which all processes wait. There are no slots to
 * overrun, and a late start invalidates only its own repetition.
 */
static int batch_round_time(const struct batch_context *context, const struct batch_plan *plan, struct rep *reps,
                            struct fault *fault)
{
    const struct team *const team = context->team;
    const int64_t ahead_ns = (int64_t)(ROUND_TIME_LEADS * (double)context->lead_ns);
    for (int64_t l = 0; l < plan->reps; l++) {
        struct rep *const rep = &reps[l];
        if (team_barrier(team, fault))
            return (int)fault->code;
        int64_t start_ns = clock_now(context->clock) + ahead_ns;
        if (team_broadcast(team, &start_ns, 1, MPI_INT64_T, fault) ||
            batch_rep(context, start_ns + context->arrival_ns, plan->operations, rep, fault))
            return (int)fault->code;
        rep->slot = l;
        rep->late = rep->start_ns > start_ns + context->arrival_ns + context->tolerance_ns;
        rep->overrun = false;
    }
    return 0;
}

/*
 * barrier: the engine's barrier before each repetition. Processes leave it at different times (error E5 of M. Kurnosov,
 * MPIPerf, 2012): the start skew in the record shows by how much.
 */
static int batch_barrier(const struct batch_context *context, const struct batch_plan *plan, struct rep *reps,
                         struct fault *fault)
{
    for (int64_t l = 0; l < plan->reps; l++) {
        reps[l] = (struct rep){.slot = l};
        if (team_barrier(context->team, fault) ||
            batch_rep(context, clock_now(context->clock) + context->arrival_ns, plan->operations, &reps[l], fault))
            return (int)fault->code;
    }
    return 0;
}

/*
 * mpi-barrier, for study only: MPI_Barrier before each repetition, which starts as it returns, as in the collectives of
 * IMB (from 2017 on) and OSU: the order in which processes leave it differs from library to library, and with it what
 * it hides.
 */
static int batch_mpi_barrier(const struct batch_context *context, const struct batch_plan *plan, struct rep *reps,
                             struct fault *fault)
{
    for (int64_t l = 0; l < plan->reps; l++) {
        struct rep *const rep = &reps[l];
        *rep = (struct rep){.slot = l};
        int result = batch_prepare(context);
        if (team_mpi(fault, MPI_Barrier(context->team->measured), "MPI_Barrier"))
            return (int)fault->code;
        rep->start_ns = context->arrival_ns > 0
                            ? clock_wait(context->clock, clock_now(context->clock) + context->arrival_ns)
                            : clock_now(context->clock);
        if (result == MPI_SUCCESS)
            result = batch_execute(context, plan->operations);
        rep->end_ns = clock_now(context->clock);
        if (team_mpi(fault, batch_finish(context, result), context->operation->name))
            return (int)fault->code;
    }
    return 0;
}

/* One repetition of plan->operations; operation i has root i mod size if the root rotates. */
static int batch_loop_rep(const struct batch_context *context, const struct batch_plan *plan, bool rotates,
                          struct rep *rep, struct fault *fault)
{
    struct call *const call = context->call;
    const int root = call->root;
    int result = MPI_SUCCESS;
    if (team_barrier(context->team, fault))
        return (int)fault->code;
    rep->start_ns = clock_now(context->clock);
    for (int64_t i = 0; i < plan->operations && result == MPI_SUCCESS; i++) {
        if (rotates)
            call->root = (int)(i % call->size);
        result = batch_prepare(context);
        if (result == MPI_SUCCESS)
            result = batch_execute_once(context);
        if (context->ends_ns != NULL)
            context->ends_ns[i] = clock_now(context->clock);
    }
    rep->end_ns = clock_now(context->clock);
    call->root = root;
    return team_mpi(fault, batch_finish(context, result), context->operation->name);
}

static int batch_loop_reps(const struct batch_context *context, const struct batch_plan *plan, bool rotates,
                           struct rep *reps, struct fault *fault)
{
    for (int64_t l = 0; l < plan->reps; l++) {
        reps[l] = (struct rep){.slot = l};
        if (batch_loop_rep(context, plan, rotates, &reps[l], fault))
            return (int)fault->code;
    }
    return 0;
}

/*
 * loop, for study only: one barrier, then many operations back to back; the time is divided by their number. Nothing
 * keeps the processes together inside the loop: a process waits for others that are still in the previous operation, or
 * overtakes them (error E6 of M. Kurnosov, MPIPerf, 2012).
 */
static int batch_loop(const struct batch_context *context, const struct batch_plan *plan, struct rep *reps,
                      struct fault *fault)
{
    return batch_loop_reps(context, plan, false, reps, fault);
}

/*
 * rotating-root, for study only: a loop with another root in each operation. Operations overlap, and their mean can be
 * less than the time of any single one (error E3).
 */
static int batch_rotating_root(const struct batch_context *context, const struct batch_plan *plan, struct rep *reps,
                               struct fault *fault)
{
    return batch_loop_reps(context, plan, true, reps, fault);
}

static const struct scheme SCHEMES[] = {
    [SCHEME_WINDOW] = {.slots = true, .batch = batch_window},
    [SCHEME_ROUND_TIME] = {.batch = batch_round_time},
    [SCHEME_BARRIER] = {.batch = batch_barrier},
    [SCHEME_MPI_BARRIER] = {.batch = batch_mpi_barrier},
    [SCHEME_LOOP] = {.loops = true, .batch = batch_loop},
    [SCHEME_ROTATING_ROOT] = {.loops = true, .rotates = true, .batch = batch_rotating_root},
};

const struct scheme *scheme_of(enum scheme_choice choice)
{
    return &SCHEMES[choice];
}

/* The observations that are combined over the processes, all by maximum: a minimum is the maximum of the negative. */
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

static void batch_pack(struct batch *batch, int64_t reps)
{
    for (int64_t l = 0; l < reps; l++) {
        const struct rep *const rep = &batch->reps[l];
        int64_t *const extreme = batch->extremes + l * EXTREMES;
        extreme[EXTREME_FIRST_START] = -rep->start_ns;
        extreme[EXTREME_LAST_START] = rep->start_ns;
        extreme[EXTREME_LAST_END] = rep->end_ns;
        extreme[EXTREME_LOCAL] = rep->end_ns - rep->start_ns;
        extreme[EXTREME_FIRST_SLOT] = -rep->slot;
        extreme[EXTREME_LAST_SLOT] = rep->slot;
        extreme[EXTREME_LATE] = rep->late;
        extreme[EXTREME_OVERRUN] = rep->overrun;
    }
}

static void batch_unpack(struct batch *batch, const struct batch_plan *plan)
{
    for (int64_t l = 0; l < plan->reps; l++) {
        const struct rep *const rep = &batch->reps[l];
        const int64_t *const extreme = batch->extremes + l * EXTREMES;
        const int64_t first_slot = -extreme[EXTREME_FIRST_SLOT];
        const bool late = extreme[EXTREME_LATE] != 0 || first_slot != extreme[EXTREME_LAST_SLOT];
        /* The last process to end a long repetition may miss a slot that another still reaches: not its fault. */
        const bool excused = l > 0 && !batch_is_valid(&batch->summaries[l - 1]);
        batch->summaries[l] = (struct rep_summary){
            .time_ns = (extreme[EXTREME_LAST_END] + extreme[EXTREME_FIRST_START]) / plan->operations,
            .local_ns = extreme[EXTREME_LOCAL] / plan->operations,
            .skew_ns = extreme[EXTREME_LAST_START] + extreme[EXTREME_FIRST_START],
            .start_ns = -extreme[EXTREME_FIRST_START],
            .end_ns = extreme[EXTREME_LAST_END],
            .late = late,
            .overrun = extreme[EXTREME_OVERRUN] != 0,
            .local_late = !excused && (rep->late || rep->slot > first_slot),
            .local_overrun = rep->overrun && !late,
        };
    }
}

int batch_perform(struct batch *batch, const struct team *team, const struct scheme *scheme,
                  const struct batch_context *context, const struct batch_plan *plan, struct fault *fault)
{
    if (scheme->batch(context, plan, batch->reps, fault))
        return (int)fault->code;
    batch_pack(batch, plan->reps);
    if (team_maximum(team, batch->extremes, (int)(plan->reps * EXTREMES), MPI_INT64_T, fault))
        return (int)fault->code;
    batch_unpack(batch, plan);
    return 0;
}

int batch_open(struct batch *batch, int64_t capacity, struct fault *fault)
{
    const size_t reps = (size_t)capacity;
    *batch = (struct batch){
        .capacity = capacity,
        .reps = calloc(reps, sizeof *batch->reps),
        .extremes = calloc(reps * EXTREMES, sizeof *batch->extremes),
        .summaries = calloc(reps, sizeof *batch->summaries),
        .ends_ns = calloc(reps, sizeof *batch->ends_ns),
    };
    if (batch->reps == NULL || batch->extremes == NULL || batch->summaries == NULL || batch->ends_ns == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for a batch of %zu repetitions", reps);
    return 0;
}

void batch_close(struct batch *batch)
{
    free(batch->reps);
    free(batch->extremes);
    free(batch->summaries);
    free(batch->ends_ns);
    *batch = (struct batch){0};
}
