/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.h: the memory use of the MPI library, sampled step by step from before MPI_Init on.
 *
 * M. Kurnosov (MPIPerf, 2012) left its growth with the number of processes as future work. Every process samples itself
 * after each step; the buffers of a step are mapped for it and unmapped before the sample, so that the growth is that
 * of the library. All steps precede the synchronisation of the clocks: nothing of this is timed.
 */
#ifndef ISOCHRON_MEMORY_H
#define ISOCHRON_MEMORY_H

#include "base/fault.h"
#include "base/json.h"
#include "machine/environment.h"

#include <stdint.h>

enum memory_step {
    MEMORY_BEFORE_INIT,
    MEMORY_INIT,
    MEMORY_BARRIER,
    MEMORY_ALLREDUCE,
    MEMORY_ALLTOALL_EAGER,
    MEMORY_ALLTOALL_RENDEZVOUS,
    MEMORY_COMM_DUP,
    MEMORY_STEPS
};

enum memory_figure {
    MEMORY_PSS,     /* resident, shared pages divided by their number of users */
    MEMORY_PRIVATE, /* resident, of this process alone */
    MEMORY_RSS,     /* resident */
    MEMORY_SHARED,  /* the part of PSS that is shared memory */
    MEMORY_LOCKED,  /* by mlock */
    MEMORY_PINNED,  /* for a device */
    MEMORY_HUGE,    /* in huge pages */
    MEMORY_DEV_SHM, /* used in /dev/shm by all processes of this host */
    MEMORY_FIGURES
};

/* The samples of one process in bytes; -1: not reported by the system. */
struct memory {
    int64_t samples[MEMORY_STEPS][MEMORY_FIGURES];
};

/* Sample this process; makes no MPI call. */
void memory_sample(struct memory *memory, enum memory_step step);

/* Collective over MPI_COMM_WORLD: make the library set itself up step by step after MPI_Init, and sample each. */
int memory_exercise(struct memory *memory, struct fault *fault);

/* Collective: rank 0 writes the memory record; without steps in a simulator, whose processes share their memory. */
int memory_record(const struct memory *local, const struct team *team, const struct environment *environment,
                  bool simulated, struct json *json, struct fault *fault);

#endif
