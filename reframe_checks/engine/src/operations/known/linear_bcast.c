/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * linear_bcast.c: a broadcast whose time is known, to show what a scheme measures.
 *
 * The root sends to one process after the other, each time until the message has arrived. With message time
 * a = latency + bytes / bandwidth the root takes (n - 1) a, and process i takes i a. A loop of k measures
 * ((n - 1)(k - 1) + i) a / k for process i instead (error E6 of M. Kurnosov, MPIPerf, 2012).
 */
#include "call/call.h"
#include "operation/operation.h"

enum { LINEAR_BCAST_TAG = 1 };

static int linear_bcast_run(struct call *call)
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
    .name = "test-linear-bcast",
    .group = "test",
    .bytes_means = "the vector that the root sends",
    .shape = OPERATION_VECTOR,
    .hidden = true,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .root = ROOT_SENDS,
    .one_buffer = true,
    .run = linear_bcast_run,
};
