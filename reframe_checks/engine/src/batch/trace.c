/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.c: records the repetitions of this process, and combines those of all (see trace.h). */
#include "batch/trace.h"

#include "machine/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reallocate memory with used entries for more of them if needed; NULL if that fails. */
static void *trace_grow(void *memory, size_t used, size_t more, size_t entry, size_t *capacity)
{
    if (used + more <= *capacity)
        return memory;
    const size_t target = 2 * (used + more);
    void *const room = realloc(memory, target * entry);
    *capacity = room == NULL ? *capacity : target;
    return room;
}

static int32_t trace_clamp(int64_t ns)
{
    return ns > INT32_MAX ? INT32_MAX : (int32_t)ns;
}

static int trace_make_room(struct trace *trace, int64_t reps, struct fault *fault)
{
    int32_t *const times =
        trace_grow(trace->times, trace->reps, (size_t)reps, 2 * sizeof *trace->times, &trace->rep_capacity);
    if (times == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the times of this rank");
    trace->times = times;
    struct trace_position *const positions =
        trace_grow(trace->positions, trace->reps, (size_t)reps, sizeof *trace->positions, &trace->position_capacity);
    if (positions == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the slots of this rank");
    trace->positions = positions;
    return 0;
}

static int trace_add_times(struct trace *trace, const struct batch *batch, const struct batch_plan *plan,
                           struct fault *fault)
{
    if (trace_make_room(trace, plan->reps, fault))
        return (int)fault->code;
    int32_t *const times = trace->times;
    if (trace->reps == 0)
        trace->origin_ns = batch->summaries[0].start_ns;
    for (int64_t l = 0; l < plan->reps; l++, trace->reps++) {
        const int64_t first_ns = batch->summaries[l].start_ns;
        const int64_t slot_begins_ns = plan->start_ns + batch->reps[l].slot * plan->slot_ns;
        trace->positions[trace->reps] = (struct trace_position){
            .begin_ns = first_ns - trace->origin_ns,
            .slot_ns = plan->slot_ns,
            .into_slot_ns = plan->slot_ns > 0 ? first_ns - slot_begins_ns : 0,
        };
        times[2 * trace->reps] = trace_clamp(batch->reps[l].start_ns - first_ns);
        times[2 * trace->reps + 1] = trace_clamp(batch->reps[l].end_ns - first_ns);
    }
    return 0;
}

/* Record the operations of the last loop only. */
static int trace_save_operations(struct trace *trace, const struct batch *batch, size_t operations, struct fault *fault)
{
    int32_t *const saved = realloc(trace->operations_ns, operations * sizeof *saved);
    if (saved == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the operations of a loop");
    int64_t before_ns = batch->reps[0].start_ns;
    for (size_t i = 0; i < operations; before_ns = batch->ends_ns[i++])
        saved[i] = trace_clamp(batch->ends_ns[i] - before_ns);
    trace->operations_ns = saved;
    trace->operations = operations;
    return 0;
}

int trace_add(struct trace *trace, const struct batch *batch, const struct batch_plan *plan, bool times, bool loops,
              struct fault *fault)
{
    unsigned char *const failures = trace_grow(trace->failures, trace->batches, 1, 1, &trace->batch_capacity);
    if (failures == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the batches of this rank");
    trace->failures = failures;
    unsigned failed = 0;
    for (int64_t l = 0; l < plan->reps; l++) {
        const struct rep_summary *const summary = &batch->summaries[l];
        trace->late_start += summary->local_late;
        trace->overrun += summary->local_overrun;
        trace->in_time += !summary->late;
        trace->local_ns += summary->late ? 0 : batch->reps[l].end_ns - batch->reps[l].start_ns;
        failed |= (unsigned)summary->local_late << STRAGGLER_LATE_START;
        failed |= (unsigned)summary->local_overrun << STRAGGLER_OVERRUN;
    }
    failures[trace->batches++] = (unsigned char)failed;
    if (times && loops && plan->operations > 1 && trace_save_operations(trace, batch, (size_t)plan->operations, fault))
        return (int)fault->code;
    return times ? trace_add_times(trace, batch, plan, fault) : 0;
}

void trace_free(struct trace *trace)
{
    free(trace->failures);
    free(trace->times);
    free(trace->operations_ns);
    free(trace->positions);
    *trace = (struct trace){0};
}

/* The values that each rank sends to rank 0. */
enum {
    TRACE_LATE_STARTS,
    TRACE_OVERRUNS,
    TRACE_RANK,
    TRACE_HOST = TRACE_RANK + STRAGGLER_KINDS,
    TRACE_LEADS = TRACE_HOST + STRAGGLER_KINDS,
    TRACE_ACTIVE,
    TRACE_LOCAL,
    TRACE_IN_TIME,
    TRACE_ZERO,
    TRACE_VALUES
};

static void trace_count(const unsigned char *failures, size_t batches, int64_t *counts)
{
    for (size_t b = 0; b < batches; b++)
        for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
            counts[kind] += failures[b] >> kind & 1;
}

/* Fill the values; the batches of a host are counted by its lowest rank. */
static int trace_summarise(const struct team *team, const struct environment *environment, const struct trace *local,
                           int64_t *values, struct fault *fault)
{
    unsigned char *const host = calloc(local->batches + 1, 1);
    if (host == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the batches of this host");
    int rank = 0, measured = 0;
    MPI_Comm_rank(environment->host, &rank);
    MPI_Comm_rank(team->measured, &measured);
    team_count(team, rank == 0 ? 0 : 1);
    values[TRACE_LATE_STARTS] = local->late_start;
    values[TRACE_OVERRUNS] = local->overrun;
    values[TRACE_LEADS] = rank == 0;
    values[TRACE_ACTIVE] = !local->idle;
    values[TRACE_LOCAL] = local->local_ns;
    values[TRACE_IN_TIME] = local->in_time;
    values[TRACE_ZERO] = measured == 0;
    trace_count(local->failures, local->batches, &values[TRACE_RANK]);
    if (local->batches > 0 &&
        team_mpi(
            fault,
            MPI_Reduce(local->failures, host, (int)local->batches, MPI_UNSIGNED_CHAR, MPI_BOR, 0, environment->host),
            "MPI_Reduce") == 0 &&
        rank == 0)
        trace_count(host, local->batches, &values[TRACE_HOST]);
    free(host);
    return (int)fault->code;
}

static struct trace_means trace_means(const int64_t *values, int ranks)
{
    struct trace_means means = {NAN, NAN, NAN, NAN};
    double sum = 0.0;
    int active = 0;
    for (int rank = 0; rank < ranks; rank++, values += TRACE_VALUES) {
        if (values[TRACE_ACTIVE] == 0 || values[TRACE_IN_TIME] == 0)
            continue;
        const double mean_ns = (double)values[TRACE_LOCAL] / (double)values[TRACE_IN_TIME];
        means.min_ns = fmin(means.min_ns, mean_ns);
        means.max_ns = fmax(means.max_ns, mean_ns);
        if (values[TRACE_ZERO] != 0)
            means.zero_ns = mean_ns;
        sum += mean_ns;
        active++;
    }
    means.average_ns = active > 0 ? sum / active : NAN;
    return means;
}

/* Rank 0: find stragglers and slow hosts from the values of all ranks. */
static int trace_analyse(const int64_t *values, struct trace_report *report, struct fault *fault)
{
    size_t hosts = 0;
    report->means = trace_means(values, report->ranks);
    for (int rank = 0; rank < report->ranks; rank++, values += TRACE_VALUES) {
        report->late_start[rank] = values[TRACE_LATE_STARTS];
        report->overrun[rank] = values[TRACE_OVERRUNS];
        report->stragglers[rank] = (struct straggler){rank, {values[TRACE_RANK], values[TRACE_RANK + 1]}, {1.0, 1.0}};
        if (values[TRACE_LEADS] != 0)
            report->slow_hosts[hosts++] =
                (struct straggler){rank, {values[TRACE_HOST], values[TRACE_HOST + 1]}, {1.0, 1.0}};
    }
    report->straggler_count = stragglers_find(report->stragglers, (size_t)report->ranks, report->batches, fault);
    report->slow_host_count = stragglers_find(report->slow_hosts, hosts, report->batches, fault);
    return (int)fault->code;
}

static int trace_open_report(const struct team *team, const struct trace *local, struct trace_report *report,
                             struct fault *fault)
{
    const size_t size = (size_t)team->size;
    *report = (struct trace_report){.ranks = team->size, .batches = (int64_t)local->batches};
    if (team->rank != 0)
        return 0;
    report->reps = local->reps;
    report->operations = local->operations;
    report->late_start = calloc(size, sizeof *report->late_start);
    report->overrun = calloc(size, sizeof *report->overrun);
    report->stragglers = calloc(size, sizeof *report->stragglers);
    report->slow_hosts = calloc(size, sizeof *report->slow_hosts);
    report->times = calloc(size * local->reps * 2 + 1, sizeof *report->times);
    report->operations_ns = calloc(size * local->operations + 1, sizeof *report->operations_ns);
    report->positions = calloc(local->reps + 1, sizeof *report->positions);
    if (report->late_start == NULL || report->overrun == NULL || report->stragglers == NULL ||
        report->slow_hosts == NULL || report->times == NULL || report->operations_ns == NULL ||
        report->positions == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the traces of %zu ranks", size);
    if (local->reps > 0)
        memcpy(report->positions, local->positions, local->reps * sizeof *report->positions);
    return 0;
}

int trace_gather(const struct team *team, const struct environment *environment, const struct trace *local,
                 struct trace_report *report, struct fault *fault)
{
    int64_t mine[TRACE_VALUES] = {0};
    int64_t *const all = team->rank == 0 ? calloc((size_t)team->size * TRACE_VALUES, sizeof *all) : NULL;
    const int times = (int)(2 * local->reps), operations = (int)local->operations;
    if (team->rank == 0 && all == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for the traces of %d ranks", team->size);
    if (trace_open_report(team, local, report, fault) == 0 &&
        trace_summarise(team, environment, local, mine, fault) == 0 &&
        team_gather(team, mine, all, TRACE_VALUES, MPI_INT64_T, fault) == 0 &&
        (times == 0 || team_gather(team, local->times, report->times, times, MPI_INT32_T, fault) == 0) &&
        (operations == 0 ||
         team_gather(team, local->operations_ns, report->operations_ns, operations, MPI_INT32_T, fault) == 0) &&
        team->rank == 0)
        trace_analyse(all, report, fault);
    free(all);
    return (int)fault->code;
}

void trace_report_free(struct trace_report *report)
{
    free(report->late_start);
    free(report->overrun);
    free(report->stragglers);
    free(report->slow_hosts);
    free(report->times);
    free(report->operations_ns);
    free(report->positions);
    *report = (struct trace_report){0};
}
