/* SPDX-License-Identifier: BSD-3-Clause */
/* choices.c: the words of choices.h. */
#include "words/choices.h"

#include <stddef.h>

const char *const SCHEME_WORDS[] = {
    [SCHEME_WINDOW] = "window",
    [SCHEME_ROUND_TIME] = "round-time",
    [SCHEME_BARRIER] = "barrier",
    [SCHEME_MPI_BARRIER] = "mpi-barrier",
    [SCHEME_LOOP] = "loop",
    [SCHEME_ROTATING_ROOT] = "rotating-root",
    NULL,
};
const char *const SYNC_WORDS[] = {
    [SYNC_LINEAR] = "linear",
    [SYNC_RING] = "ring",
    [SYNC_TREE] = "tree",
    [SYNC_HCA3] = "hca3",
    [SYNC_JK] = "jk",
    [SYNC_NONE] = "none",
    NULL,
};
const char *const ESTIMATOR_WORDS[] = {
    [ESTIMATOR_MIN_RTT] = "min-rtt",
    [ESTIMATOR_ENVELOPE] = "envelope",
    NULL,
};
const char *const SYNC_NODES_WORDS[] = {
    [SYNC_NODES_AUTO] = "auto",
    [SYNC_NODES_FLAT] = "flat",
    [SYNC_NODES_SHARED] = "shared",
    NULL,
};
const char *const TIMER_WORDS[] = {
    [TIMER_MPI_WTIME] = "mpi-wtime",
    [TIMER_CLOCK_GETTIME] = "clock-gettime",
    [TIMER_GETTIMEOFDAY] = "gettimeofday",
    [TIMER_TSC] = "tsc",
    NULL,
};
const char *const WAIT_WORDS[] = {
    [WAIT_SPIN] = "spin",
    [WAIT_SLEEP] = "sleep",
    NULL,
};
const char *const STOP_WORDS[] = {
    [STOP_RELATIVE_ERROR] = "relative-error",
    [STOP_RUNS] = "reps",
    [STOP_TIME] = "time",
    NULL,
};
const char *const BUFFERS_WORDS[] = {
    [BUFFERS_WARM] = "warm",
    [BUFFERS_COLD] = "cold",
    NULL,
};
const char *const COUNTS_WORDS[] = {
    [COUNTS_BALANCED] = "balanced",
    [COUNTS_UNBALANCED] = "unbalanced",
    NULL,
};
const char *const TOPOLOGY_WORDS[] = {
    [TOPOLOGY_CART] = "cart",
    [TOPOLOGY_GRAPH] = "graph",
    NULL,
};
const char *const REDUCTION_WORDS[] = {
    [REDUCTION_SUM] = "sum", [REDUCTION_MAX] = "max", [REDUCTION_MIN] = "min", [REDUCTION_PROD] = "prod", NULL,
};
const char *const WEATHER_WORDS[] = {
    [WEATHER_RECORD] = "record",
    [WEATHER_GATE] = "gate",
    [WEATHER_NONE] = "off",
    NULL,
};

const char *const DESCRIBE_WORDS[] = {
    [DESCRIBE_NOTHING] = "nothing",
    [DESCRIBE_JSON] = "json",
    NULL,
};
