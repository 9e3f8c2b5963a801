/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session.h: everything that stays the same during a launch: the options, made into implementations, and the state of
 * the machine. Opened once, collectively; after that only measuring and writing are left.
 */
#ifndef ISOCHRON_SESSION_H
#define ISOCHRON_SESSION_H

#include "calibration.h"
#include "environment.h"
#include "epoch.h"
#include "estimator.h"
#include "memory.h"
#include "operation.h"
#include "options.h"
#include "scheme.h"
#include "slot.h"
#include "stop.h"
#include "sync_nodes.h"
#include "team.h"

struct session {
    const struct options *options;
    struct team team;

    struct operation_list operations;
    const struct timer_kind *timer;
    const struct estimator *estimator;
    const struct synchroniser *synchroniser;
    const struct scheme *scheme;
    const struct stop_rule *stop;
    MPI_Op reduction;
    MPI_Datatype derived; /* of --datatype vector or indexed */

    bool simulated;
    struct timer_pair first_pair; /* of the timer, before MPI_Init */
    struct memory memory; /* of this process, with --memory */
    struct environment environment;
    int64_t *process;   /* on rank 0: the rank in team.comm of each rank of team.measured */
    int64_t arrival_ns; /* of this process */
    size_t cache_bytes;  /* of the largest last-level cache */
    struct clock clock;
    struct test_clock test_clock; /* behind the timer, with --test-clock */
    struct calibration calibration;
    struct epoch *epochs; /* one for each synchronisation, in order */
    size_t epoch_count;
};

/* Looks the options up in the tables of implementations and checks what depends on the number of processes. */
int session_resolve(struct session *session, const struct options *options, struct fault *fault);

/* Collective: finds the hosts; an environment fault unless processes and hosts are as demanded. */
int session_locate(struct session *session, struct fault *fault);

/* Collective: the conditions of the measurement: order and arrivals of the ranks, size of the cache. */
int session_arrange(struct session *session, struct fault *fault);

/* Collective: timer, synchronised and verified clocks, calibration. */
int session_prepare(struct session *session, struct fault *fault);

/* Whether all processes read one clock. */
bool session_has_one_clock(const struct session *session);

/* Whether no process can be wrong about the time: all read the simulated clock, and none learnt an offset. */
bool session_time_is_exact(const struct session *session);

/* Collective: opens and tries the timer. */
int session_open_clock(struct session *session, struct fault *fault);

/* Collective: begins a new epoch. */
int session_synchronise(struct session *session, struct fault *fault);

/* Collective: with test clocks, spoils and waits as they say. */
int session_spoil_clock(struct session *session, struct fault *fault);

/* Collective: looks at the clocks at the end of the epoch. */
int session_verify(struct session *session, struct fault *fault);

/*
 * Collective: synchronises again where the clocks may have run apart by too large a share of the slot that rank 0
 * names, unless that has been done too lately.
 */
int session_refresh(struct session *session, int64_t slot_ns, struct fault *fault);

/* The epoch that lasts. */
const struct epoch *session_epoch(const struct session *session);

/* Arguments of one operation at one size, without buffers. */
int session_call(const struct session *session, const struct operation *operation, int64_t bytes, struct call *call,
                 struct fault *fault);

/* Why the operation cannot be measured under these options, NULL when it can. */
const char *session_lacks(const struct session *session, const struct operation *operation);

void session_close(struct session *session);

#endif
