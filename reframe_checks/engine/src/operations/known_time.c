/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * known_time.c: operations with a known time, self-checks of the engine (M. Kurnosov, MPIPerf, 2012).
 *
 * The wait patterns depend on local durations only: a wrong clock offset does not show in them, hence the clock
 * records.
 */
#include "call/call.h"
#include "operation/operation.h"

#define WAIT_PATTERN                                                                                                   \
    .group = "wait-patterns", .bytes_means = "none: no data", .shape = OPERATION_NO_DATA, .known_time = true

/* Rank i waits i + 1 microseconds; the true time on n processes is n microseconds. */
static int wait_pattern_up(struct call *call)
{
    clock_wait(call->clock, clock_now(call->clock) + 1000 * (call->rank + 1));
    return MPI_SUCCESS;
}

const struct operation operation_wait_pattern_up = {
    WAIT_PATTERN,
    .execute = wait_pattern_up,
};

/* Rank i waits n - i microseconds; the true time on n processes is n microseconds. */
static int wait_pattern_down(struct call *call)
{
    clock_wait(call->clock, clock_now(call->clock) + 1000 * (call->size - call->rank));
    return MPI_SUCCESS;
}

const struct operation operation_wait_pattern_down = {
    WAIT_PATTERN,
    .execute = wait_pattern_down,
};

/* Returns immediately; the true time is 0. */
static int wait_pattern_null(struct call *call)
{
    (void)call;
    return MPI_SUCCESS;
}

const struct operation operation_wait_pattern_null = {
    WAIT_PATTERN,
    .execute = wait_pattern_null,
};

/*
 * A broadcast with a known time, to show what a scheme measures.
 *
 * The root sends to one process after the other, each time until the message has arrived. With message time
 * a = latency + bytes / bandwidth the root takes (n - 1) a, and process i takes i a. A loop of k measures
 * ((n - 1)(k - 1) + i) a / k for process i instead (error E6 of M. Kurnosov, MPIPerf, 2012).
 */
enum { LINEAR_BCAST_TAG = 1 };

static int linear_bcast_execute(struct call *call)
{
    if (call->rank != call->root)
        return MPI_Recv(call->recv, call->plain.recv, call->type, call->root, LINEAR_BCAST_TAG, call->comm,
                        MPI_STATUS_IGNORE);
    int result = MPI_SUCCESS;
    for (int rank = 0; rank < call->size && result == MPI_SUCCESS; rank++)
        if (rank != call->root)
            result = MPI_Ssend(call->recv, call->plain.recv, call->type, rank, LINEAR_BCAST_TAG, call->comm);
    return result;
}

const struct operation operation_linear_bcast = {
    .group = "test",
    .bytes_means = "the vector that the root sends",
    .shape = OPERATION_VECTOR,
    .hidden = true,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .root = ROOT_SENDS,
    .one_buffer = true,
    .execute = linear_bcast_execute,
};
