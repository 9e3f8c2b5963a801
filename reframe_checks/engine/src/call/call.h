/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * call.h: the arguments of one operation at one size, the same for all its repetitions.
 *
 * call_open derives counts, displacements and buffer sizes from what each process sends and receives according to the
 * operation; the memory comes from buffers.h. call_release frees everything.
 */
#ifndef ISOCHRON_CALL_H
#define ISOCHRON_CALL_H

#include "base/fault.h"
#include "clock/clock.h"
#include "option_values/choices.h"
#include "option_values/element.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct operation;
struct threads;

/* Counts as arguments of MPI calls: of the one block, or of each. Arrays exist if the operation takes arrays. */
struct call_counts {
    int send, recv;
    int *sends, *recvs;
    int *send_displacements, *recv_displacements;
};

/* The same for calls with MPI_Count. */
struct call_large_counts {
    MPI_Count send, recv;
    MPI_Count *sends, *recvs;
    MPI_Aint *send_displacements, *recv_displacements;
};

/* What this process sends, or receives: consecutive blocks. */
struct call_side {
    int blocks;
    int *peers;    /* with SHARE_PEERS: the other end of each block; of a burst all peers in turn, message by message */
    int64_t bytes; /* in memory */
};

/* The window of a one-sided operation, of this process and another (rma.h). */
struct call_rma {
    enum rma_window_choice window; /* from the options */
    enum rma_sync_choice sync;
    bool origin, target; /* this process moves data; moves none itself, or is reached into */
    MPI_Win handle;      /* MPI_WIN_NULL: this process has none */
    MPI_Comm comm;       /* of the two */
    int partner;         /* rank of the other one there */
    MPI_Group partners;  /* of the other one alone, with pscw */
    char *memory;        /* the buffers of this process in the window */
    MPI_Aint there;      /* where those of the other begin */
    int compared;        /* of MPI_Compare_and_swap: what the target had before all repetitions */
};

/* What an operation that makes something has made, until it is freed (operations/creation.c). */
struct call_made {
    bool any; /* something was made, now or before */
    MPI_Comm comm;
    MPI_Win window;
    char *memory;    /* of the window, allocated by the library */
    MPI_Group group; /* of the communicator, if the call takes one; freed by call_release */
};

struct call {
    const struct operation *operation;
    MPI_Comm comm;
    int rank, size, root;
    bool any_root;             /* every process needs the buffers of a root */
    const struct clock *clock; /* for operations that wait */

    int64_t bytes; /* the message size */
    MPI_Datatype type;
    const char *type_name;
    struct element element; /* the layout of type */
    int64_t count;          /* bytes in elements of type */
    MPI_Op reduction;

    bool in_place, unbalanced, large_counts, graph; /* from the options */
    int64_t buffered;    /* --buffered-sends: repetitions whose messages the attached buffer holds; 0: none */
    int64_t send_buffer; /* with it: size of that buffer in bytes; 0: as these need */
    int group_size;      /* 0: the default of the operation */
    int burst;           /* --burst: messages to each peer, of operations that send bursts; 1 of others */
    struct call_rma rma;
    struct call_made made;
    bool refused;            /* the library makes no such window or communicator */
    bool checked;            /* --check */
    bool idle;               /* this process is in none of --groups and does not execute the operation */
    int thread_count;        /* --threads, of an operation of threads */
    const int *processors;   /* to which they are pinned; NULL: they are not */
    size_t alignment;        /* of the buffers */
    struct threads *threads; /* the calls of all threads (threads.h); NULL: none */
    int thread;              /* the thread that makes this call */

    struct call_side sent, received;
    struct call_counts plain;
    struct call_large_counts large;
    MPI_Datatype *types;
    int64_t messages; /* of bursts, on rank 0: what all processes send in one execution */
    int requests_made;
    MPI_Request request, *requests;
    void *attached; /* the buffer of MPI_Bsend */
    void *packed;   /* of operations that pack */
    int packed_bytes;
    bool owns_comm; /* comm was created for this call */

    size_t send_bytes; /* sizes of the buffers */
    size_t recv_bytes;
    void *send; /* the buffers, or MPI_IN_PLACE */
    void *recv;
    char *input;  /* the data that this process sends; in place, in the receive buffer */
    char *output; /* the results; NULL: none on this process */
    bool repeats; /* a second execution gives the same result as the first */

    int64_t compute_ns;    /* for the overlap: duration of the computation, */
    double compute_per_ns; /* and steps per nanosecond */
};

/* One block of a side. */
struct call_block {
    int index; /* -1: before the first */
    int peer;  /* the rank at the other end */
    int64_t elements;
    int64_t first; /* elements before it */
};

/* Collective over comm: fill the call, except the memory, from operation, comm, bytes and type. */
int call_open(struct call *call, struct fault *fault);

/* Set input, output and MPI_IN_PLACE after a change of the buffers. */
void call_bind(struct call *call);

/* Create the requests of a persistent operation for the buffers in use; return the MPI result. */
int call_setup(struct call *call);

/* Advance to the next block that is sent, or received; false after the last. Begin with {.index = -1}. */
bool call_next_block(const struct call *call, bool sent, struct call_block *block);

/* Return true if this process sends, or receives; in a rooted operation only the root may. */
bool call_takes_part(const struct call *call, bool sent);

/* Complete a started operation; return the MPI result. */
int call_wait(struct call *call);

void call_release(struct call *call);

#endif
