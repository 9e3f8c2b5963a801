/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.h: the counted repetitions of one measurement as observed by each process, and their evaluation on rank 0.
 *
 * Repetitions are counted to name the ranks that invalidated them. For stragglers the trials are batches: those in
 * which a process was late at least once, or overran its slot though no process was late. One interruption invalidates
 * several repetitions in a row, so that repetitions are not independent trials. A host fails in a batch if one of its
 * ranks does. Optionally, start and end of every repetition are recorded, its position in its slot, and of the last
 * loop the duration of each operation.
 */
#ifndef ISOCHRON_TRACE_H
#define ISOCHRON_TRACE_H

#include "batch/batch.h"
#include "machine/environment.h"
#include "statistics/straggler.h"

/* The position of a repetition in time; ns. */
struct trace_position {
    int64_t begin_ns;     /* its first start on any process, after that of the first counted repetition */
    int64_t slot_ns;      /* the width of its slot; 0 without slots */
    int64_t into_slot_ns; /* its first start after the begin of its slot, as scheduled on this process */
};

struct trace {
    size_t batches, batch_capacity;
    unsigned char *failures;     /* of each batch: bits 1 << enum straggler_kind */
    int64_t late_start, overrun; /* repetitions that this process invalidated */

    bool idle;        /* this process is not active in the operation */
    int64_t local_ns; /* sum of its durations in all repetitions without late start, */
    int64_t in_time;  /* and their number */

    size_t reps, rep_capacity, position_capacity;
    int32_t *times; /* start and end of each repetition after its first start on any process, ns; at most 2.1 s */
    struct trace_position *positions;
    int64_t origin_ns; /* first start of the first counted repetition */

    size_t operations;      /* of the last loop; 0 in schemes without loops */
    int32_t *operations_ns; /* each from the end of the previous one to its own, ns; at most 2.1 s */
};

/*
 * Add a batch that was performed by the plan. times: also record start and end of its repetitions; loops: also record
 * the operations of its loop.
 */
int trace_add(struct trace *trace, const struct batch *batch, const struct batch_plan *plan, bool times, bool loops,
              struct fault *fault);

void trace_free(struct trace *trace);

/* Over the active processes, of the mean duration of a repetition on each: what IMB prints as t_avg, t_min, t_max. */
struct trace_means {
    double average_ns, min_ns, max_ns; /* NaN without repetitions that started in time */
    double zero_ns;                    /* of process 0 of the measured communicator; NaN if it is idle, too */
};

/* The evaluation of all traces, on rank 0. */
struct trace_report {
    int ranks;
    int64_t *late_start, *overrun; /* repetitions that each rank invalidated */
    struct straggler *stragglers;  /* ranks; the named ones come first */
    size_t straggler_count;
    struct straggler *slow_hosts; /* identified by their lowest rank */
    size_t slow_host_count;
    int64_t batches;
    struct trace_means means;

    size_t reps;    /* 0 without times */
    int32_t *times; /* all repetitions of rank 0, of rank 1, ... */
    struct trace_position *positions;

    size_t operations;      /* 0 without times or loops */
    int32_t *operations_ns; /* the last loop of rank 0, of rank 1, ... */
};

/* Collective: fill the report, which is to be freed in any case. */
int trace_gather(const struct team *team, const struct environment *environment, const struct trace *trace,
                 struct trace_report *report, struct fault *fault);

void trace_report_free(struct trace_report *report);

#endif
