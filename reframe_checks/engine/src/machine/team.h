/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * team.h: all processes of the launch. The engine talks on MPI_COMM_WORLD, and measures on a copy of it: a further copy
 * would be p words for each of p processes, a gigabyte in a simulator at 8192.
 *
 * Errors of MPI calls are returned, not fatal, and become faults.
 */
#ifndef ISOCHRON_TEAM_H
#define ISOCHRON_TEAM_H

#include "base/fault.h"

#include <mpi.h>
#include <stdint.h>

enum { TEAM_TAG_BARRIER = 101, TEAM_TAG_PAIR = 102, TEAM_TAG_HOST = 103, TEAM_TAG_RAISE = 104 };

/* What the engine itself does to a machine, counted on each process. */
struct traffic {
    int64_t messages;     /* sent by the engine, not by what it measures */
    int64_t mapped_bytes; /* for the buffers of operations */
};

struct team {
    MPI_Comm comm;     /* the engine's own messages: MPI_COMM_WORLD */
    MPI_Comm measured; /* what operations are measured on */
    int rank;
    int size;
    struct traffic *traffic; /* NULL: nobody counts */
};

/* What is sent is counted in traffic. No message is sent, and there is nothing yet to measure on. */
void team_open(struct team *team, struct traffic *traffic);

/* Collective: copies MPI_COMM_WORLD for what is measured. */
int team_copy(struct team *team, struct fault *fault);

/* Collective: gives the measured communicator another order; process[i], known to rank 0 alone, has rank i in it. */
int team_reorder(struct team *team, const int64_t *process, struct fault *fault);

void team_close(struct team *team);

/* Turns the result of the MPI call named what into a fault; 0 for MPI_SUCCESS. */
int team_mpi(struct fault *fault, int result, const char *what);

#endif
