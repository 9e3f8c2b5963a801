/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * startup.h: what happens once in a launch, timed on every process by CLOCK_MONOTONIC: loading the program, MPI_Init,
 * the first message, the first collective.
 *
 * Nothing but local calls precedes the first message, which every process sends to the next, nor comes between it and
 * the first collective, MPI_Barrier. The end of a launch, MPI_Finalize, is in the footer of its file (launch/main.c).
 */
#ifndef ISOCHRON_STARTUP_H
#define ISOCHRON_STARTUP_H

#include "machine/team.h"
#include "session/session.h"

#include <stdbool.h>
#include <stdint.h>

enum startup_step { STARTUP_LOAD, STARTUP_INIT, STARTUP_MESSAGE, STARTUP_BARRIER, STARTUP_STEPS };

/* A step over all processes; in ns. */
struct startup_spread {
    int64_t min_ns, max_ns; /* of the durations on each */
    double median_ns;
    /* Until the last process has done it: from the first begin of loading or MPI_Init, or when the last one begins. */
    int64_t all_ns;
    int64_t first_ns; /* the first begin, in global time */
};

struct startup {
    bool simulated;                                         /* nothing is timed: processes are not started */
    int64_t begin_ns[STARTUP_STEPS], end_ns[STARTUP_STEPS]; /* of this process, by its own clock */
    bool loaded;                                            /* the age of this process is known */
    bool exchanged;                                         /* the first message and the first collective are timed */
    bool complete;                                          /* the following are set, on rank 0 */
    bool all_loaded;                                        /* the ages of all processes are known */
    struct startup_spread spreads[STARTUP_STEPS];
    int64_t began_ns; /* when the first process was started, by the time of day on rank 0, in ns since 1970 */
};

/* The first call of the program: note when it was started (in steps of 10 ms: proc(5), starttime) and loaded. */
void startup_begin(struct startup *startup);

/* Initialise MPI; multiple: by MPI_Init_thread with MPI_THREAD_MULTIPLE, of which the library may give less. */
void startup_init(struct startup *startup, bool multiple);

/* Collective: finalise MPI, all processes at the same time; return how long that takes on this one, in ns. */
int64_t startup_finalize(const struct startup *startup);

/* Collective, before any other message: time the first message and the first collective. */
int startup_exchange(struct startup *startup, const struct team *team, struct fault *fault);

/* Collective, once the clocks are synchronised: combine the times of all processes on rank 0. */
int startup_gather(const struct session *session, struct fault *fault);

#endif
