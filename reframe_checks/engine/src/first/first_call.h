/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * first_call.h: late initialisation: the very first call of a launch, against later ones (--first-call).
 *
 * A library may open connections when they are first used, so that the first call of an operation takes many times as
 * long as the next (error E1 of M. Kurnosov, MPIPerf, 2012). Here nothing but MPI_Init and local calls comes before it:
 * no communicator is copied, no option agreed upon, no clock compared. All that waits until these calls are over.
 */
#ifndef ISOCHRON_FIRST_CALL_H
#define ISOCHRON_FIRST_CALL_H

#include "session/session.h"

enum { FIRST_CALL_LATER = 10 };

/* By the clocks of the processes themselves; in ns. */
struct first_call_times {
    int64_t first, second; /* the second at once after the first, on other buffers */
    int64_t later;         /* median of those after it, each after a barrier of the engine */
};

struct first_call {
    struct timer timer;
    int64_t start_ns, end_ns; /* of the first call by this timer */
    int64_t first_ns, second_ns, later_ns[FIRST_CALL_LATER];

    bool known; /* the rest is known to all processes */
    struct first_call_times rank0;
    struct first_call_times slowest; /* of each call the slowest process */
    int64_t slowest_rank;            /* the lowest rank that was slowest in the first call */
    int64_t span_ns, skew_ns;        /* of the first call: last end - first start, last start - first start */
};

/* Collective by the operation alone: times the calls, before anything else is sent. Fills session->first. */
int first_call_time(struct session *session, const struct options *options, struct fault *fault);

/* Collective, once the clocks are synchronised: what all processes measured. */
int first_call_gather(const struct session *session, struct fault *fault);

#endif
