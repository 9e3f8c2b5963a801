/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session.h: everything that stays the same during a launch: the options, made into implementations, and the state of
 * the machine. Opened once, collectively; after that only measuring and writing are left.
 */
#ifndef ISOCHRON_SESSION_H
#define ISOCHRON_SESSION_H

#include "batch/calibration.h"
#include "estimate/estimator.h"
#include "machine/environment.h"
#include "machine/team.h"
#include "memory/memory.h"
#include "operation/operation.h"
#include "options/options.h"
#include "rules/slot.h"
#include "rules/stop.h"
#include "scheme/scheme.h"
#include "sync/sync_nodes.h"
#include "verify/epoch.h"
#include "weather/watch.h"
#include "weather/weather.h"

struct first_call;

struct session {
    const struct options *options; /* NULL: not resolved yet */
    struct team team;
    struct traffic traffic; /* of this process */

    struct operation_list operations;
    const struct timer_kind *timer;
    const struct estimator *estimator;
    const struct synchroniser *synchroniser;
    const struct scheme *scheme;
    const struct stop_rule *stop;
    struct stop_plan plan; /* of the passes */
    MPI_Op reduction;
    MPI_Datatype derived; /* of --datatype vector or indexed */

    bool simulated;
    struct timer_pair first_pair; /* of the timer, before MPI_Init */
    struct memory memory;         /* of this process, with --memory */
    struct environment environment;
    int64_t *process;   /* on rank 0: the rank in team.comm of each rank of team.measured */
    int64_t arrival_ns; /* of this process */
    size_t cache_bytes; /* of the largest last-level cache */
    struct clock clock;
    struct synthetic_clock test_clock; /* behind the timer, with --test-clock */
    struct calibration calibration;
    struct epoch *epochs; /* one for each synchronisation, in order */
    size_t epoch_count;
    struct weather *weather;  /* NULL: it is not read */
    struct watch *watch;      /* NULL: batches in another regime count as others do */
    struct first_call *first; /* NULL: the launch's first call is not timed */
};

/* Whether all processes read one clock. */
bool session_has_one_clock(const struct session *session);

/* Whether no process can be wrong about the time: all read the simulated clock, and none learnt an offset. */
bool session_time_is_exact(const struct session *session);

/* What the options ask of the stop rule. */
struct stop_limits session_limits(const struct session *session);

/* The epoch that lasts. */
const struct epoch *session_epoch(const struct session *session);

void session_close(struct session *session);

#endif
