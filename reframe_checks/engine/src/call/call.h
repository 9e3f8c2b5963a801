/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * call.h: the arguments of one operation at one size, fixed for all its runs.
 *
 * call_open derives counts, displacements and buffer sizes from what the operation says that each process sends and
 * receives; the memory comes from buffers.h. call_release frees everything.
 */
#ifndef ISOCHRON_CALL_H
#define ISOCHRON_CALL_H

#include "base/fault.h"
#include "clock/clock.h"
#include "words/element.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct operation;

/* Counts as the MPI calls take them: of the one block, or of each. Arrays exist where the operation takes arrays. */
struct call_counts {
    int send, recv;
    int *sends, *recvs;
    int *send_places, *recv_places;
};

/* The same for calls with MPI_Count. */
struct call_large_counts {
    MPI_Count send, recv;
    MPI_Count *sends, *recvs;
    MPI_Aint *send_places, *recv_places;
};

/* What this process sends, or what it receives: blocks one after the other. */
struct call_side {
    int blocks;
    int *peers;    /* with SHARE_PEERS: the other end of each block */
    int64_t bytes; /* in memory */
};

struct call {
    const struct operation *operation;
    MPI_Comm comm;
    int rank, size, root;
    bool any_root;             /* every process needs the buffers of a root */
    const struct clock *clock; /* for operations that wait */

    int64_t bytes; /* the message size of the table row */
    MPI_Datatype type;
    const char *type_name;
    struct element element; /* the layout of type */
    int64_t count;          /* bytes in elements of type */
    MPI_Op reduction;

    bool in_place, unbalanced, large_counts, graph; /* as the options say */
    int64_t buffered; /* --buffered-sends: runs whose messages the attached buffer holds; 0: no such buffer */
    int group_size;   /* 0: the operation's own */

    struct call_side sent, received;
    struct call_counts plain;
    struct call_large_counts large;
    MPI_Datatype *types;
    int requests_made;
    MPI_Request request, *requests;
    void *attached; /* the buffer of MPI_Bsend */
    bool own_comm;  /* comm was made for this call */

    size_t send_bytes; /* sizes of the buffers */
    size_t recv_bytes;
    void *send; /* the buffers, or MPI_IN_PLACE */
    void *recv;
    char *input;  /* where the data that this process sends lie: in place, in the receive buffer */
    char *output; /* where results arrive; NULL: nowhere on this process */
    bool repeats; /* a second run leaves the same result as the first */

    int64_t compute_ns;    /* for the overlap: how long to compute, */
    double compute_per_ns; /* and how many steps take a nanosecond */
};

/* One block of a side. */
struct call_block {
    int index; /* -1: before the first */
    int peer;  /* the rank at the other end */
    int64_t elements;
    int64_t first; /* elements before it */
};

/* Collective over comm: operation, comm, bytes and type are set; makes the rest but the memory. */
int call_open(struct call *call, struct fault *fault);

/* The buffers have changed: sets input, output and MPI_IN_PLACE. */
void call_bind(struct call *call);

/* Makes the requests of a persistent operation for the buffers in use; returns the MPI result. */
int call_setup(struct call *call);

/* Goes to the next block of what is sent, or received; false after the last. Begin with {.index = -1}. */
bool call_next_block(const struct call *call, bool sent, struct call_block *block);

/* Whether this process sends, or receives: in a rooted operation the root alone may. */
bool call_takes_part(const struct call *call, bool sent);

/* Completes what the start of the operation has begun; returns the MPI result. */
int call_wait(struct call *call);

void call_release(struct call *call);

#endif
