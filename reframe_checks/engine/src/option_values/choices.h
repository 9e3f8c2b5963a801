/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * choices.h: the values of all options that offer a choice: the enumerations, by which tables are indexed, and the
 * names in the same order, ended by NULL.
 */
#ifndef ISOCHRON_CHOICES_H
#define ISOCHRON_CHOICES_H

enum scheme_choice {
    SCHEME_WINDOW,
    SCHEME_ROUND_TIME,
    SCHEME_BARRIER,
    SCHEME_MPI_BARRIER,
    SCHEME_LOOP,
    SCHEME_ROTATING_ROOT
};
enum sync_choice { SYNC_LINEAR, SYNC_RING, SYNC_TREE, SYNC_HCA3, SYNC_JK, SYNC_NONE };
enum estimator_choice { ESTIMATOR_MIN_RTT, ESTIMATOR_ENVELOPE };
enum sync_nodes_choice { SYNC_NODES_AUTO, SYNC_NODES_FLAT, SYNC_NODES_SHARED };
enum timer_choice { TIMER_MPI_WTIME, TIMER_CLOCK_GETTIME, TIMER_GETTIMEOFDAY, TIMER_TSC };
enum wait_choice { WAIT_SPIN, WAIT_SLEEP };
enum stop_choice { STOP_RELATIVE_ERROR, STOP_REPS, STOP_TIME };
enum buffers_choice { BUFFERS_WARM, BUFFERS_COLD };
enum counts_choice { COUNTS_BALANCED, COUNTS_UNBALANCED };
enum topology_choice { TOPOLOGY_CART, TOPOLOGY_GRAPH };
enum rma_window_choice { RMA_WINDOW_ALLOCATE, RMA_WINDOW_CREATE, RMA_WINDOW_DYNAMIC, RMA_WINDOW_SHARED };
enum rma_sync_choice {
    RMA_SYNC_FLUSH,
    RMA_SYNC_FLUSH_LOCAL,
    RMA_SYNC_LOCK,
    RMA_SYNC_LOCK_ALL,
    RMA_SYNC_FENCE,
    RMA_SYNC_PSCW
};
enum reduction_choice { REDUCTION_SUM, REDUCTION_MAX, REDUCTION_MIN, REDUCTION_PROD };
enum probes_choice { PROBES_RECORD, PROBES_GATE, PROBES_OFF };
enum describe_choice { DESCRIBE_NOTHING, DESCRIBE_JSON };

extern const char *const SCHEME_NAMES[];
extern const char *const SYNC_NAMES[];
extern const char *const ESTIMATOR_NAMES[];
extern const char *const SYNC_NODES_NAMES[];
extern const char *const TIMER_NAMES[];
extern const char *const WAIT_NAMES[];
extern const char *const STOP_NAMES[];
extern const char *const BUFFERS_NAMES[];
extern const char *const COUNTS_NAMES[];
extern const char *const TOPOLOGY_NAMES[];
extern const char *const RMA_WINDOW_NAMES[];
extern const char *const RMA_SYNC_NAMES[];
extern const char *const REDUCTION_NAMES[];
extern const char *const PROBES_NAMES[];
extern const char *const DESCRIBE_NAMES[];

#endif
