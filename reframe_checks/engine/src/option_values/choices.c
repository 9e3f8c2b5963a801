/* SPDX-License-Identifier: BSD-3-Clause */
/* choices.c: the names of the choices (see choices.h). */
#include "option_values/choices.h"

#include <stddef.h>

const char *const SCHEME_NAMES[] = {
    [SCHEME_WINDOW] = "window",
    [SCHEME_ROUND_TIME] = "round-time",
    [SCHEME_BARRIER] = "barrier",
    [SCHEME_MPI_BARRIER] = "mpi-barrier",
    [SCHEME_LOOP] = "loop",
    [SCHEME_ROTATING_ROOT] = "rotating-root",
    NULL,
};
const char *const SYNC_NAMES[] = {
    [SYNC_LINEAR] = "linear",
    [SYNC_RING] = "ring",
    [SYNC_TREE] = "tree",
    [SYNC_HCA3] = "hca3",
    [SYNC_JK] = "jk",
    [SYNC_NONE] = "none",
    NULL,
};
const char *const ESTIMATOR_NAMES[] = {
    [ESTIMATOR_MIN_RTT] = "min-rtt",
    [ESTIMATOR_ENVELOPE] = "envelope",
    NULL,
};
const char *const SYNC_NODES_NAMES[] = {
    [SYNC_NODES_AUTO] = "auto",
    [SYNC_NODES_FLAT] = "flat",
    [SYNC_NODES_SHARED] = "shared",
    NULL,
};
const char *const TIMER_NAMES[] = {
    [TIMER_MPI_WTIME] = "mpi-wtime",
    [TIMER_CLOCK_GETTIME] = "clock-gettime",
    [TIMER_GETTIMEOFDAY] = "gettimeofday",
    [TIMER_TSC] = "tsc",
    NULL,
};
const char *const WAIT_NAMES[] = {
    [WAIT_SPIN] = "spin",
    [WAIT_SLEEP] = "sleep",
    NULL,
};
const char *const STOP_NAMES[] = {
    [STOP_RELATIVE_ERROR] = "relative-error",
    [STOP_REPS] = "reps",
    [STOP_TIME] = "time",
    NULL,
};
const char *const BUFFERS_NAMES[] = {
    [BUFFERS_WARM] = "warm",
    [BUFFERS_COLD] = "cold",
    NULL,
};
const char *const COUNTS_NAMES[] = {
    [COUNTS_BALANCED] = "balanced",
    [COUNTS_UNBALANCED] = "unbalanced",
    NULL,
};
const char *const TOPOLOGY_NAMES[] = {
    [TOPOLOGY_CART] = "cart",
    [TOPOLOGY_GRAPH] = "graph",
    NULL,
};
const char *const RMA_WINDOW_NAMES[] = {
    [RMA_WINDOW_ALLOCATE] = "allocate",
    [RMA_WINDOW_CREATE] = "create",
    [RMA_WINDOW_DYNAMIC] = "dynamic",
    [RMA_WINDOW_SHARED] = "shared",
    NULL,
};
const char *const RMA_SYNC_NAMES[] = {
    [RMA_SYNC_FLUSH] = "flush",
    [RMA_SYNC_FLUSH_LOCAL] = "flush-local",
    [RMA_SYNC_LOCK] = "lock",
    [RMA_SYNC_LOCK_ALL] = "lock-all",
    [RMA_SYNC_FENCE] = "fence",
    [RMA_SYNC_PSCW] = "pscw",
    NULL,
};
const char *const REDUCTION_NAMES[] = {
    [REDUCTION_SUM] = "sum", [REDUCTION_MAX] = "max", [REDUCTION_MIN] = "min", [REDUCTION_PROD] = "prod", NULL,
};
const char *const PROBES_NAMES[] = {
    [PROBES_RECORD] = "record",
    [PROBES_GATE] = "gate",
    [PROBES_OFF] = "off",
    NULL,
};

const char *const DESCRIBE_NAMES[] = {
    [DESCRIBE_NOTHING] = "nothing",
    [DESCRIBE_JSON] = "json",
    NULL,
};
