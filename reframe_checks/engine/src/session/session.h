/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session.h: everything that is constant during a launch: the implementations that the options select, and the state of
 * the machine. After it has been opened, collectively, only measuring and writing remain.
 */
#ifndef ISOCHRON_SESSION_H
#define ISOCHRON_SESSION_H

#include "batch/batch.h"
#include "estimate/estimator.h"
#include "machine/environment.h"
#include "machine/memory.h"
#include "machine/team.h"
#include "operation/operation.h"
#include "options/options.h"
#include "probes/probes.h"
#include "probes/regime_monitor.h"
#include "rules/slot.h"
#include "rules/stop.h"
#include "sync/sync_nodes.h"
#include "timer/timer_check.h"
#include "turns/resident.h"
#include "verify/verification.h"

struct first_call;
struct startup;

/* The time to announce a schedule, and the tolerance for starts; measured before any operation. */
struct calibration {
    struct timer_quality timer;
    int64_t lead_ns;      /* t_bcast: upper estimate of the time to announce a schedule */
    int64_t tolerance_ns; /* a later start is late: 4 timer steps (resolution + cost) */
};

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
    MPI_Datatype derived[1 + ELEMENT_NAME_COUNT]; /* of --datatype, then of ELEMENT_NAMES; MPI_DATATYPE_NULL: unused */

    bool simulated;
    struct timer_pair first_pair; /* of the timer, before MPI_Init */
    struct memory memory;         /* of this process, with --memory */
    struct environment environment;
    MPI_Comm group;     /* with --groups: the communicator of the operations; otherwise MPI_COMM_NULL */
    bool idle;          /* with --groups: this process is in none; group has all such processes */
    int thread_level;   /* that the library gave: to this process, or with --threads the lowest of all */
    int *processors;    /* of each thread of this process; NULL: threads are not pinned */
    int64_t *process;   /* on rank 0: the rank in team.comm of each rank of team.measured */
    int64_t arrival_ns; /* of this process */
    size_t cache_bytes; /* of the largest last-level cache */
    struct clock clock;
    struct synthetic_clock test_clock; /* replaces the timer, with --test-clock */
    struct calibration calibration;
    struct epoch *epochs; /* one per synchronisation, in order */
    size_t epoch_count;
    struct probes *probes;          /* NULL: no probes */
    struct regime_monitor *monitor; /* NULL: repetitions count in every regime */
    struct activity *activity;      /* NULL: nothing is told of the operation in which a signal ends the process */
    struct resident *resident;      /* NULL: this launch does not measure in turns */
    struct first_call *first;       /* NULL: the first call of the launch is not timed */
    struct startup *startup;        /* when this process was started, and MPI in it */
};

/* Set everything to nothing, before anything else. */
void session_init(struct session *session);

/* Select the implementations of the options, which have been checked (launch/main.c). */
int session_resolve(struct session *session, const struct options *options, struct fault *fault);

/* Fill the arguments of one operation at one size, without buffers. */
void session_call(const struct session *session, const struct operation *operation, int64_t bytes, struct call *call);

/* Return the datatype that is requested for the operation. */
const char *session_datatype(const struct session *session, const struct operation *operation);

/* Return why the operation cannot be measured under these options; NULL if it can. */
const char *session_why_not_supported(const struct session *session, const struct operation *operation);

/* A check fault if the library's types differ in size from those of the compiler: then no size would be as stated. */
int session_check_types(const struct session *session, struct fault *fault);

/* Return the rank of this process in the measured communicator. */
int session_measured_rank(const struct session *session);

/* Return true if all processes read one clock. */
bool session_has_one_clock(const struct session *session);

/* Return true if no process can have a wrong time: all read the simulated clock, without an estimated offset. */
bool session_time_is_exact(const struct session *session);

/* Return the limits of the stop rule from the options. */
struct stop_limits session_limits(const struct session *session);

/* Return the current epoch. */
const struct epoch *session_epoch(const struct session *session);

void session_close(struct session *session);

#endif
