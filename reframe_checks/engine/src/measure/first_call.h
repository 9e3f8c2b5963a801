/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * first_call.h: late initialisation: the very first call of a launch compared with later ones (--first-call).
 *
 * A library may open connections when they are first used, so that the first call of an operation takes many times as
 * long as the next (error E1 of M. Kurnosov, MPIPerf, 2012). Only MPI_Init and local calls precede it here: no
 * communicator is copied, no option agreed on, no clock compared until these calls are over.
 */
#ifndef ISOCHRON_FIRST_CALL_H
#define ISOCHRON_FIRST_CALL_H

#include "session/session.h"

enum { FIRST_CALL_LATER = 10 };

/* Durations on the local clocks; in ns. */
struct first_call_times {
    int64_t first, second; /* the second immediately after the first, on other buffers */
    int64_t later;         /* median of the following ones, each after a barrier of the engine */
};

struct first_call {
    struct timer timer;
    int64_t start_ns, end_ns; /* of the first call, on this timer */
    int64_t first_ns, second_ns, later_ns[FIRST_CALL_LATER];

    bool complete; /* the following members are set, on all processes */
    struct first_call_times rank0;
    struct first_call_times slowest; /* of the slowest process in each call */
    int64_t slowest_rank;            /* the lowest of the slowest ranks in the first call */
    int64_t span_ns, skew_ns;        /* of the first call: last end - first start, last start - first start */
};

/* Collective by the operation only: time the calls before anything else is sent. Fills session->first. */
int first_call_time(struct session *session, const struct options *options, struct fault *fault);

/* Collective, once the clocks are synchronised: combine the times of all processes. */
int first_call_gather(const struct session *session, struct fault *fault);

#endif
