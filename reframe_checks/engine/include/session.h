/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session.h: everything that stays the same during a launch: the options, made into implementations, and the state of
 * the machine. Opened once, collectively; after that only measuring and writing are left.
 */
#ifndef ISOCHRON_SESSION_H
#define ISOCHRON_SESSION_H

#include "calibration.h"
#include "environment.h"
#include "estimator.h"
#include "memory.h"
#include "operation.h"
#include "options.h"
#include "scheme.h"
#include "slot.h"
#include "stop.h"
#include "synchroniser.h"
#include "team.h"
#include "verification.h"

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

    bool simulated;
    struct memory memory; /* of this process, with --memory */
    struct environment environment;
    int64_t *process;    /* the rank in team.comm of each rank of team.measured */
    int64_t *arrival_ns; /* of each rank of team.measured */
    size_t cache_bytes;  /* of the largest last-level cache */
    struct clock clock;
    struct calibration calibration;
    struct synchronisation synchronisation; /* of this process */
    int64_t synchronisation_ns;             /* how long it took */
    struct verification before, after;
};

/* Looks the options up in the tables of implementations and checks what depends on the number of processes. */
int session_resolve(struct session *session, const struct options *options, struct fault *fault);

/* Collective: finds the hosts; an environment fault unless processes and hosts are as demanded. */
int session_locate(struct session *session, struct fault *fault);

/* Collective: the conditions of the measurement: order and arrivals of the ranks, size of the cache. */
int session_arrange(struct session *session, struct fault *fault);

/* Collective: timer, synchronised and verified clocks, calibration. */
int session_prepare(struct session *session, struct fault *fault);

/* Arguments of one operation at one size, without buffers. */
int session_call(const struct session *session, const struct operation *operation, int64_t bytes, struct call *call,
                 struct fault *fault);

void session_close(struct session *session);

#endif
