/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * call.h: the arguments of one operation at one size, fixed for all its runs.
 *
 * An operation's prepare sets the counts and says how much data it sends and receives; the buffers come from
 * buffers.h. call_release frees everything.
 */
#ifndef ISOCHRON_CALL_H
#define ISOCHRON_CALL_H

#include "clock.h"
#include "fault.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct call {
    MPI_Comm comm;
    int rank, size, root;
    const struct clock *clock; /* for operations that wait */

    int64_t bytes; /* the message size of the table row */
    MPI_Datatype type;
    const char *type_name;
    int type_size;
    int count; /* bytes in elements of type */
    MPI_Op reduction;

    size_t send_bytes; /* sizes of the buffers, set by prepare */
    size_t recv_bytes;
    void *send;
    void *recv;

    int *counts; /* per rank, for the vector variants */
    int *displacements;
    MPI_Datatype *types;
};

/* For prepare: the numbers of blocks of call->bytes sent and received by this process. */
void call_blocks(struct call *call, int sent, int received);

/* For prepare: counts and displacements of equal blocks one after the other, in units of unit_bytes. */
int call_equal_counts(struct call *call, int unit_bytes, struct fault *fault);

/* For prepare of alltoallw: the type once per rank. */
int call_equal_types(struct call *call, struct fault *fault);

void call_release(struct call *call);

#endif
