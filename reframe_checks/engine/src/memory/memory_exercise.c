/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_exercise.c: makes the MPI library set itself up, step by step (see memory.h). */
#include "memory/memory_exercise.h"

#include "machine/team.h"
#include "memory/memory_look.h"

#include <string.h>
#include <sys/mman.h>

enum {
    MEMORY_EAGER_BLOCK = 64,
    MEMORY_RENDEZVOUS_BLOCK = 256 << 10, /* above the eager limits of today's libraries */
    MEMORY_BUFFER_LIMIT = 256 << 20      /* of one buffer: with many processes the block shrinks */
};

static int64_t memory_block(enum memory_step step, int size)
{
    if (step == MEMORY_ALLTOALL_EAGER)
        return MEMORY_EAGER_BLOCK;
    const int64_t most = MEMORY_BUFFER_LIMIT / size;
    return most < MEMORY_RENDEZVOUS_BLOCK ? most : MEMORY_RENDEZVOUS_BLOCK;
}

/* Mapped, not allocated: the heap must not keep it. */
static int memory_alltoall(int block, int size, struct fault *fault)
{
    const size_t bytes = (size_t)block * (size_t)size;
    char *const both = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (both == MAP_FAILED)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for an alltoall of %d bytes", block);
    memset(both, 1, 2 * bytes);
    team_mpi(fault, MPI_Alltoall(both, block, MPI_BYTE, both + bytes, block, MPI_BYTE, MPI_COMM_WORLD), "MPI_Alltoall");
    munmap(both, 2 * bytes);
    return (int)fault->code;
}

static int memory_take_step(enum memory_step step, MPI_Comm *copy, struct fault *fault)
{
    int size = 0;
    double value = 0.0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    switch (step) {
    case MEMORY_BARRIER:
        return team_mpi(fault, MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    case MEMORY_ALLREDUCE:
        return team_mpi(fault, MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
                        "MPI_Allreduce");
    case MEMORY_ALLTOALL_EAGER:
    case MEMORY_ALLTOALL_RENDEZVOUS:
        return memory_alltoall((int)memory_block(step, size), size, fault);
    case MEMORY_COMM_DUP:
        return team_mpi(fault, MPI_Comm_dup(MPI_COMM_WORLD, copy), "MPI_Comm_dup");
    case MEMORY_BEFORE_INIT:
    case MEMORY_INIT:
    case MEMORY_STEPS:
        break;
    }
    return 0;
}

int memory_exercise(struct memory *memory, struct fault *fault)
{
    MPI_Comm copy = MPI_COMM_NULL;
    for (enum memory_step step = MEMORY_BARRIER; step < MEMORY_STEPS && fault->code == FAULT_NONE; step++) {
        /* The barrier lets all finish the step before anyone looks: shared pages are divided by their users. */
        if (memory_take_step(step, &copy, fault) == 0 &&
            team_mpi(fault, MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier") == 0)
            memory_look(memory, step);
    }
    if (copy != MPI_COMM_NULL)
        MPI_Comm_free(&copy);
    return (int)fault->code;
}
