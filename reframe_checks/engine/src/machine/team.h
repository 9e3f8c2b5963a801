/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * team.h: all processes of the launch, the engine's messages between them, and what they decide together.
 *
 * The engine communicates on MPI_COMM_WORLD and measures on a copy of it: another copy would need p words on each of p
 * processes, a gigabyte in a simulator at 8192. Errors of MPI calls are returned and become faults.
 *
 * Messages of the engine are counted (struct traffic). A collective call of the library counts as the fewest messages
 * that it can take: p - 1 from or to rank 0, twice that for a sum. The creation of communicators and the library's own
 * barriers in --memory are not counted.
 *
 * The barrier is built from point-to-point calls: the barrier of the library under test must not be the yardstick.
 * Steps that need not be fast send as few messages as possible: a maximum and a meeting 2 (p - 1), a barrier and most
 * libraries' Allreduce p log2 p. The time of a simulation is proportional to messages: at 8192 processes this is a
 * factor of 6. A waiting process blocks in a receive or a synchronous send: SimGrid 3.32 scans all other pending sends
 * whenever one of them ends.
 */
#ifndef ISOCHRON_TEAM_H
#define ISOCHRON_TEAM_H

#include "base/fault.h"

#include <mpi.h>
#include <stdint.h>

enum { TEAM_TAG_BARRIER = 101, TEAM_TAG_COMPARISON = 102, TEAM_TAG_JOIN = 103, TEAM_TAG_MAXIMUM = 104 };

/* The load of the engine on the machine, counted on each process. */
struct traffic {
    int64_t messages;     /* sent by the engine, without those of the measured operations */
    int64_t mapped_bytes; /* for the buffers of operations */
};

struct team {
    MPI_Comm comm;     /* for the engine's messages: MPI_COMM_WORLD */
    MPI_Comm measured; /* for the measured operations */
    int rank;
    int size;
    struct traffic *traffic; /* NULL: not counted */
};

/* Set up the team without sending a message; measured is MPI_COMM_NULL. */
void team_open(struct team *team, struct traffic *traffic);

/* Collective: copy MPI_COMM_WORLD to the measured communicator. */
int team_copy(struct team *team, struct fault *fault);

/* Collective: reorder the measured communicator so that process[i], which rank 0 alone has, gets rank i. */
int team_reorder(struct team *team, const int64_t *process, struct fault *fault);

/* Collective over the members, ranks of the parent in ascending order: make a communicator of them. */
int team_join(MPI_Comm parent, const int *members, int count, MPI_Comm *comm, struct fault *fault);

void team_close(struct team *team);

/* Turn the result of an MPI call into a fault that names it; 0 for MPI_SUCCESS. */
int team_mpi(struct fault *fault, int result, const char *call);

/* Count messages that this process sends by other means than the functions below. */
void team_count(const struct team *team, int messages);

int team_send(const struct team *team, const void *values, int count, MPI_Datatype type, int to, int tag,
              struct fault *fault);

/* Send, and return once the receiver has begun to receive. */
int team_send_synchronous(const struct team *team, const void *values, int count, MPI_Datatype type, int to, int tag,
                          struct fault *fault);

int team_receive(const struct team *team, void *values, int count, MPI_Datatype type, int from, int tag,
                 struct fault *fault);

/* Collective: from rank 0 to all. */
int team_broadcast(const struct team *team, void *values, int count, MPI_Datatype type, struct fault *fault);

/* Collective: from all to rank 0, where all has room for count of each process. */
int team_gather(const struct team *team, const void *local, void *all, int count, MPI_Datatype type,
                struct fault *fault);

/* Collective: from rank 0 to each process its part. */
int team_scatter(const struct team *team, const void *all, void *local, int count, MPI_Datatype type,
                 struct fault *fault);

/* Collective: the sums over all processes, on all of them, in place. */
int team_sum(const struct team *team, int64_t *values, int count, struct fault *fault);

/* Collective: the maxima over all processes, on all of them, in place; rank 0 has them first. */
int team_maximum(const struct team *team, void *values, int count, MPI_Datatype type, struct fault *fault);

/* Collective: no process returns before every process has called; the last returns log2 p messages after rank 0. */
int team_meet(const struct team *team, struct fault *fault);

/* The same for schemes that start from it: all processes return within about one message time. */
int team_barrier(const struct team *team, struct fault *fault);

/*
 * Collective: if any process has a fault, all return the highest code, and the lowest rank that has it prints its line.
 * A process without a fault adopts the code.
 */
int team_agree(const struct team *team, struct fault *fault);

/*
 * Collective: a usage fault on each process that was started with other arguments than rank 0. Different options would
 * make a process wait for messages that no other sends.
 */
int team_check_arguments(const struct team *team, int count, char **values, struct fault *fault);

#endif
