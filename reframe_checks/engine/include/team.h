/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * team.h: all processes of the launch, on a communicator of the engine's own.
 *
 * Errors of MPI calls are returned, not fatal, and become faults. The barrier is built from point-to-point calls: the
 * barrier of the library under test must not be the ruler.
 */
#ifndef ISOCHRON_TEAM_H
#define ISOCHRON_TEAM_H

#include "fault.h"

#include <mpi.h>
#include <stdint.h>

enum { TEAM_TAG_BARRIER = 101, TEAM_TAG_PAIR = 102, TEAM_TAG_HOST = 103 };

struct team {
    MPI_Comm comm;     /* the engine's own messages */
    MPI_Comm measured; /* what operations are measured on */
    int rank;
    int size;
};

/* Duplicates MPI_COMM_WORLD twice. */
int team_open(struct team *team, struct fault *fault);

/* Collective: gives the measured communicator another order; process[i], known to rank 0 alone, has rank i in it. */
int team_reorder(struct team *team, const int64_t *process, struct fault *fault);

void team_close(struct team *team);

/* Turns the result of the MPI call named what into a fault; 0 for MPI_SUCCESS. */
int team_mpi(struct fault *fault, int result, const char *what);

/* No process leaves before every process has come. */
int team_barrier(const struct team *team, struct fault *fault);

/*
 * Collective: if any process has a fault, all return the worst code, and the lowest rank that has it prints its line.
 * A process without a fault of its own takes over the code.
 */
int team_agree(const struct team *team, struct fault *fault);

#endif
