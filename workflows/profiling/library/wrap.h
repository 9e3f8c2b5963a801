/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wrap.h: what all wrappers are made of. The library's own functions are weak: programs without MPI load us too
 * (mpiexec, a shell), and an MPI library may lack some of them.
 */
#ifndef PROFILE_WRAP_H
#define PROFILE_WRAP_H

#include <mpi.h>

#include "profile.h"

#define WEAK_(text) _Pragma(#text)
#define WEAK(function) WEAK_(weak function)

WEAK(PMPI_Type_size)
WEAK(PMPI_Comm_size)
WEAK(PMPI_Comm_rank)
WEAK(PMPI_Comm_remote_size)
WEAK(PMPI_Comm_test_inter)

/* `call` timed; then `amount` and `processes` are asked for, which the time does not hold. */
#define COUNTED(operation, amount, processes, call)                                                                    \
    if (profile.header == NULL || profile_inside) {                                                                    \
        return call;                                                                                                   \
    }                                                                                                                  \
    profile_inside = 1;                                                                                                \
    const uint64_t begin = profile_now();                                                                              \
    const int code = call;                                                                                             \
    const uint64_t taken = profile_now() - begin;                                                                      \
    profile_add(operation, amount, processes, taken);                                                                  \
    profile_inside = 0;                                                                                                \
    return code

/* MPI_Name and what it counts. */
#define WRAP(Name, parameters, arguments, operation, amount, processes)                                                \
    WEAK(PMPI_##Name)                                                                                                  \
    int MPI_##Name parameters                                                                                          \
    {                                                                                                                  \
        COUNTED(operation, amount, processes, PMPI_##Name arguments);                                                  \
    }

/* A call without a size of its own. */
#define WRAP_PLAIN(Name, parameters, arguments, operation)                                                             \
    WRAP(Name, parameters, arguments, operation, amount_none(), 0)

static inline struct profile_amount amount_none(void)
{
    return (struct profile_amount){0, 0};
}

static inline uint32_t element_of(int bytes)
{
    return bytes == 1 ? 1 : bytes == 2 ? 2 : bytes == 4 ? 3 : bytes == 8 ? 4 : bytes == 16 ? 5 : 6;
}

/* The type of no elements is not asked for its size: it may be none. */
static inline struct profile_amount amount_of(MPI_Count count, MPI_Datatype type)
{
    int bytes = 0;
    if (count <= 0 || PMPI_Type_size(type, &bytes) != MPI_SUCCESS || bytes < 0) {
        return amount_none();
    }
    return (struct profile_amount){(uint64_t)count * (uint64_t)bytes, element_of(bytes)};
}

/* Processes of a communicator; 0 where it has two groups: no case of a campaign is like that. */
static inline int processes_of(MPI_Comm communicator)
{
    int inter = 1, processes = 0;
    if (PMPI_Comm_test_inter(communicator, &inter) != MPI_SUCCESS || inter) {
        return 0;
    }
    return PMPI_Comm_size(communicator, &processes) == MPI_SUCCESS ? processes : 0;
}

/* The same for a message: 0 where there is no partner, 1 where it is the process itself. */
static inline int processes_for(int partner, MPI_Comm communicator)
{
    int processes = 0, rank = 0;
    if (partner == MPI_PROC_NULL || PMPI_Comm_size(communicator, &processes) != MPI_SUCCESS) {
        return 0;
    }
    return PMPI_Comm_rank(communicator, &rank) == MPI_SUCCESS && partner == rank ? 1 : processes;
}

#endif
