/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.h: how much memory the MPI library takes, step by step from before MPI_Init on.
 *
 * How this grows with the number of processes was left as future work by M. Kurnosov (MPIPerf, 2012). Every process
 * looks at itself after each step; buffers of a step are mapped for it and unmapped before the look, so that what is
 * seen to grow is the library. All this is over before the clocks are synchronised: nothing of it is timed.
 */
#ifndef ISOCHRON_MEMORY_H
#define ISOCHRON_MEMORY_H

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
    MEMORY_PSS,     /* resident, shared pages divided by those who share them */
    MEMORY_PRIVATE, /* resident, this process's alone */
    MEMORY_RSS,     /* resident */
    MEMORY_SHARED,  /* the share of PSS that is shared memory */
    MEMORY_LOCKED,  /* by mlock */
    MEMORY_PINNED,  /* for a device */
    MEMORY_HUGE,    /* in huge pages */
    MEMORY_DEV_SHM, /* used in /dev/shm by all processes of this host */
    MEMORY_FIGURES
};

/* What one process has seen of itself: bytes, -1 where the system does not tell. */
struct memory {
    int64_t seen[MEMORY_STEPS][MEMORY_FIGURES];
};

#endif
