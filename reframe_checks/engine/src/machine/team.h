/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * team.h: all processes of the launch. The engine talks on MPI_COMM_WORLD, and measures on a copy of it: a further copy
 * would be p words for each of p processes, a gigabyte in a simulator at 8192.
 *
 * Errors of MPI calls are returned, not fatal, and become faults. The barrier is built from point-to-point calls: the
 * barrier of the library under test must not be the ruler.
 *
 * What does not have to be quick sends as few messages as it can: a maximum and a meeting take 2 (p - 1), a barrier and
 * most libraries' Allreduce p log2 p. A simulator's time goes by messages: at 8192 processes that is a factor of 6.
 * Who waits does so in a receive or a synchronous send: SimGrid 3.32 goes through all other sends that are under way
 * whenever one of them ends.
 */
#ifndef ISOCHRON_TEAM_H
#define ISOCHRON_TEAM_H

#include "base/fault.h"

#include <mpi.h>
#include <stdint.h>

enum { TEAM_TAG_BARRIER = 101, TEAM_TAG_PAIR = 102, TEAM_TAG_HOST = 103, TEAM_TAG_RAISE = 104 };

struct team {
    MPI_Comm comm;     /* the engine's own messages: MPI_COMM_WORLD */
    MPI_Comm measured; /* what operations are measured on */
    int rank;
    int size;
};

/* Duplicates MPI_COMM_WORLD for what is measured. */
int team_open(struct team *team, struct fault *fault);

/* Collective: gives the measured communicator another order; process[i], known to rank 0 alone, has rank i in it. */
int team_reorder(struct team *team, const int64_t *process, struct fault *fault);

void team_close(struct team *team);

/* Turns the result of the MPI call named what into a fault; 0 for MPI_SUCCESS. */
int team_mpi(struct fault *fault, int result, const char *what);

/* Collective: the largest of each of the words of all processes, on all of them, in place. Rank 0 has them first. */
int team_maximum(MPI_Comm comm, void *words, int count, MPI_Datatype type, struct fault *fault);

/* No process leaves before every process has come; the last leaves log2 p messages after rank 0. */
int team_meet(const struct team *team, struct fault *fault);

/* The same for schemes that start from it: all leave within about one message of each other. */
int team_barrier(const struct team *team, struct fault *fault);

/*
 * Collective: if any process has a fault, all return the worst code, and the lowest rank that has it prints its line.
 * A process without a fault of its own takes over the code.
 */
int team_agree(const struct team *team, struct fault *fault);

#endif
