/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.c: keeps what this process did, and combines what all did (see trace.h). */
#include "batch/trace.h"

#include "machine/team_talk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for more of what memory has used entries of; NULL when there is none. */
static void *trace_room(void *memory, size_t used, size_t more, size_t entry, size_t *capacity)
{
    if (used + more <= *capacity)
        return memory;
    const size_t wanted = 2 * (used + more);
    void *const room = realloc(memory, wanted * entry);
    *capacity = room == NULL ? *capacity : wanted;
    return room;
}

static int32_t trace_clamp(int64_t ns)
{
    return ns > INT32_MAX ? INT32_MAX : (int32_t)ns;
}

static int trace_make_room(struct trace *trace, int64_t runs, struct fault *fault)
{
    int32_t *const times =
        trace_room(trace->times, trace->runs, (size_t)runs, 2 * sizeof *trace->times, &trace->run_capacity);
    if (times == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the times of this rank");
    trace->times = times;
    struct trace_place *const places =
        trace_room(trace->places, trace->runs, (size_t)runs, sizeof *trace->places, &trace->place_capacity);
    if (places == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the slots of this rank");
    trace->places = places;
    return 0;
}

static int trace_add_times(struct trace *trace, const struct batch *batch, const struct batch_plan *plan,
                           struct fault *fault)
{
    if (trace_make_room(trace, plan->runs, fault))
        return (int)fault->code;
    int32_t *const times = trace->times;
    if (trace->runs == 0)
        trace->origin_ns = batch->summaries[0].start_ns;
    for (int64_t l = 0; l < plan->runs; l++, trace->runs++) {
        const int64_t first_ns = batch->summaries[l].start_ns;
        const int64_t slot_begins_ns = plan->start_ns + batch->runs[l].slot * plan->slot_ns;
        trace->places[trace->runs] = (struct trace_place){
            .begin_ns = first_ns - trace->origin_ns,
            .slot_ns = plan->slot_ns,
            .into_slot_ns = plan->slot_ns > 0 ? first_ns - slot_begins_ns : 0,
        };
        times[2 * trace->runs] = trace_clamp(batch->runs[l].start_ns - first_ns);
        times[2 * trace->runs + 1] = trace_clamp(batch->runs[l].end_ns - first_ns);
    }
    return 0;
}

/* The last loop takes the place of the one before. */
static int trace_keep_operations(struct trace *trace, const struct batch *batch, size_t operations, struct fault *fault)
{
    int32_t *const kept = realloc(trace->operations_ns, operations * sizeof *kept);
    if (kept == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the operations of a loop");
    int64_t before_ns = batch->runs[0].start_ns;
    for (size_t i = 0; i < operations; before_ns = batch->ends_ns[i++])
        kept[i] = trace_clamp(batch->ends_ns[i] - before_ns);
    trace->operations_ns = kept;
    trace->operations = operations;
    return 0;
}

int trace_add(struct trace *trace, const struct batch *batch, const struct batch_plan *plan, bool times, bool loops,
              struct fault *fault)
{
    unsigned char *const failures = trace_room(trace->failures, trace->batches, 1, 1, &trace->batch_capacity);
    if (failures == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the batches of this rank");
    trace->failures = failures;
    unsigned failed = 0;
    for (int64_t l = 0; l < plan->runs; l++) {
        const struct run_summary *const summary = &batch->summaries[l];
        trace->late_start += summary->own_late;
        trace->overrun += summary->own_overrun;
        trace->in_time += !summary->late;
        trace->local_ns += summary->late ? 0 : batch->runs[l].end_ns - batch->runs[l].start_ns;
        failed |= (unsigned)summary->own_late << STRAGGLER_LATE_START;
        failed |= (unsigned)summary->own_overrun << STRAGGLER_OVERRUN;
    }
    failures[trace->batches++] = (unsigned char)failed;
    if (times && loops && plan->operations > 1 && trace_keep_operations(trace, batch, (size_t)plan->operations, fault))
        return (int)fault->code;
    return times ? trace_add_times(trace, batch, plan, fault) : 0;
}

void trace_free(struct trace *trace)
{
    free(trace->failures);
    free(trace->times);
    free(trace->operations_ns);
    free(trace->places);
    *trace = (struct trace){0};
}

/* What each rank sends to rank 0. */
enum {
    TRACE_LATE_RUNS,
    TRACE_OVERRUN_RUNS,
    TRACE_RANK,
    TRACE_HOST = TRACE_RANK + STRAGGLER_KINDS,
    TRACE_LEADS = TRACE_HOST + STRAGGLER_KINDS,
    TRACE_ACTIVE,
    TRACE_LOCAL,
    TRACE_IN_TIME,
    TRACE_WORDS
};

static void trace_count(const unsigned char *failures, size_t batches, int64_t *counts)
{
    for (size_t b = 0; b < batches; b++)
        for (int kind = 0; kind < STRAGGLER_KINDS; kind++)
            counts[kind] += failures[b] >> kind & 1;
}

/* Fills words; the batches of a host are counted by its lowest rank. */
static int trace_summarise(const struct team *team, const struct environment *environment, const struct trace *own,
                           int64_t *words, struct fault *fault)
{
    unsigned char *const host = calloc(own->batches + 1, 1);
    if (host == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the batches of this host");
    int rank = 0;
    MPI_Comm_rank(environment->host, &rank);
    team_count(team, rank == 0 ? 0 : 1);
    words[TRACE_LATE_RUNS] = own->late_start;
    words[TRACE_OVERRUN_RUNS] = own->overrun;
    words[TRACE_LEADS] = rank == 0;
    words[TRACE_ACTIVE] = !own->idle;
    words[TRACE_LOCAL] = own->local_ns;
    words[TRACE_IN_TIME] = own->in_time;
    trace_count(own->failures, own->batches, &words[TRACE_RANK]);
    if (own->batches > 0 &&
        team_mpi(fault,
                 MPI_Reduce(own->failures, host, (int)own->batches, MPI_UNSIGNED_CHAR, MPI_BOR, 0, environment->host),
                 "MPI_Reduce") == 0 &&
        rank == 0)
        trace_count(host, own->batches, &words[TRACE_HOST]);
    free(host);
    return (int)fault->code;
}

static struct trace_means trace_means(const int64_t *words, int ranks)
{
    struct trace_means means = {NAN, NAN, NAN};
    double sum = 0.0;
    int active = 0;
    for (int rank = 0; rank < ranks; rank++, words += TRACE_WORDS) {
        if (words[TRACE_ACTIVE] == 0 || words[TRACE_IN_TIME] == 0)
            continue;
        const double own_ns = (double)words[TRACE_LOCAL] / (double)words[TRACE_IN_TIME];
        means.least_ns = fmin(means.least_ns, own_ns);
        means.most_ns = fmax(means.most_ns, own_ns);
        sum += own_ns;
        active++;
    }
    means.average_ns = active > 0 ? sum / active : NAN;
    return means;
}

/* On rank 0: from the words of all ranks to stragglers and slow hosts. */
static int trace_judge(const int64_t *words, struct trace_report *report, struct fault *fault)
{
    size_t hosts = 0;
    report->means = trace_means(words, report->ranks);
    for (int rank = 0; rank < report->ranks; rank++, words += TRACE_WORDS) {
        report->late_start[rank] = words[TRACE_LATE_RUNS];
        report->overrun[rank] = words[TRACE_OVERRUN_RUNS];
        report->stragglers[rank] = (struct straggler){rank, {words[TRACE_RANK], words[TRACE_RANK + 1]}, {1.0, 1.0}};
        if (words[TRACE_LEADS] != 0)
            report->slow_hosts[hosts++] =
                (struct straggler){rank, {words[TRACE_HOST], words[TRACE_HOST + 1]}, {1.0, 1.0}};
    }
    report->straggler_count = stragglers_find(report->stragglers, (size_t)report->ranks, report->batches, fault);
    report->slow_host_count = stragglers_find(report->slow_hosts, hosts, report->batches, fault);
    return (int)fault->code;
}

static int trace_open_report(const struct team *team, const struct trace *own, struct trace_report *report,
                             struct fault *fault)
{
    const size_t size = (size_t)team->size;
    *report = (struct trace_report){.ranks = team->size, .batches = (int64_t)own->batches};
    if (team->rank != 0)
        return 0;
    report->runs = own->runs;
    report->operations = own->operations;
    report->late_start = calloc(size, sizeof *report->late_start);
    report->overrun = calloc(size, sizeof *report->overrun);
    report->stragglers = calloc(size, sizeof *report->stragglers);
    report->slow_hosts = calloc(size, sizeof *report->slow_hosts);
    report->times = calloc(size * own->runs * 2 + 1, sizeof *report->times);
    report->operations_ns = calloc(size * own->operations + 1, sizeof *report->operations_ns);
    report->places = calloc(own->runs + 1, sizeof *report->places);
    if (report->late_start == NULL || report->overrun == NULL || report->stragglers == NULL ||
        report->slow_hosts == NULL || report->times == NULL || report->operations_ns == NULL || report->places == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the traces of %zu ranks", size);
    if (own->runs > 0)
        memcpy(report->places, own->places, own->runs * sizeof *report->places);
    return 0;
}

int trace_gather(const struct team *team, const struct environment *environment, const struct trace *own,
                 struct trace_report *report, struct fault *fault)
{
    int64_t mine[TRACE_WORDS] = {0};
    int64_t *const all = team->rank == 0 ? calloc((size_t)team->size * TRACE_WORDS, sizeof *all) : NULL;
    const int times = (int)(2 * own->runs), operations = (int)own->operations;
    if (team->rank == 0 && all == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for the traces of %d ranks", team->size);
    if (trace_open_report(team, own, report, fault) == 0 && trace_summarise(team, environment, own, mine, fault) == 0 &&
        team_gather(team, mine, all, TRACE_WORDS, MPI_INT64_T, fault) == 0 &&
        (times == 0 || team_gather(team, own->times, report->times, times, MPI_INT32_T, fault) == 0) &&
        (operations == 0 ||
         team_gather(team, own->operations_ns, report->operations_ns, operations, MPI_INT32_T, fault) == 0) &&
        team->rank == 0)
        trace_judge(all, report, fault);
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
    free(report->places);
    *report = (struct trace_report){0};
}
