/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.h: what this process did in the counted runs of one measurement, and what rank 0 makes of all processes'
 * traces.
 *
 * Counted are runs for the blame, and for the stragglers batches in which a process was late, or overran its slot
 * though nobody was late, at least once: an interruption spoils several runs in a row, so that runs are not independent
 * trials. A host fails in a batch when one of its ranks does. With times, the start and end of every run are kept,
 * where the run lay in its slot, and of the last loop what each of its operations took.
 */
#ifndef ISOCHRON_TRACE_H
#define ISOCHRON_TRACE_H

#include "batch/batch.h"
#include "machine/environment.h"
#include "statistics/straggler.h"

/* Where a run lay; ns. */
struct trace_place {
    int64_t begin_ns;     /* its first start on any process, after that of the first counted run */
    int64_t slot_ns;      /* its slot; 0 without slots */
    int64_t into_slot_ns; /* its first start after the begin of its slot, as this process had it */
};

struct trace {
    size_t batches, batch_capacity;
    unsigned char *failures;     /* of each batch: bit 1 << enum straggler_kind */
    int64_t late_start, overrun; /* invalid runs that are this process's fault */

    bool idle;        /* this process takes no part in the operation */
    int64_t local_ns; /* its own durations in all runs that started in time, */
    int64_t in_time;  /* and how many these were */

    size_t runs, run_capacity, place_capacity;
    int32_t *times; /* start and end of each run after the first start of all processes, ns; at most 2.1 s */
    struct trace_place *places;
    int64_t origin_ns; /* first start of the first counted run */

    size_t operations;      /* of the last loop; 0 in schemes without loops */
    int32_t *operations_ns; /* each from the end of the one before to its own, ns; at most 2.1 s */
};

/*
 * Takes over a batch that was performed by the plan; times: keep the start and end of its runs; loops: and what the
 * operations of its loop took.
 */
int trace_add(struct trace *trace, const struct batch *batch, const struct batch_plan *plan, bool times, bool loops,
              struct fault *fault);

void trace_free(struct trace *trace);

/* Over the processes that take part, of the mean duration of a run on each: as IMB prints t_avg, t_min and t_max. */
struct trace_means {
    double average_ns, least_ns, most_ns; /* NaN where no run started in time */
};

/* What all traces say; on rank 0. */
struct trace_report {
    int ranks;
    int64_t *late_start, *overrun; /* runs that each rank spoiled */
    struct straggler *stragglers;  /* ranks; those that are named come first */
    size_t straggler_count;
    struct straggler *slow_hosts; /* their id is the lowest rank there */
    size_t slow_host_count;
    int64_t batches;
    struct trace_means means;

    size_t runs;    /* 0 without times */
    int32_t *times; /* all runs of rank 0, of rank 1, ... */
    struct trace_place *places;

    size_t operations;      /* 0 without times, and where nothing loops */
    int32_t *operations_ns; /* the last loop of rank 0, of rank 1, ... */
};

/* Collective. The report is to be freed in any case. */
int trace_gather(const struct team *team, const struct environment *environment, const struct trace *own,
                 struct trace_report *report, struct fault *fault);

void trace_report_free(struct trace_report *report);

#endif
