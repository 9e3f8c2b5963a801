/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * team_agree.h: what all processes decide together.
 *
 * The barrier is built from point-to-point calls: the barrier of the library under test must not be the ruler.
 * What does not have to be quick sends as few messages as it can: a maximum and a meeting take 2 (p - 1), a barrier and
 * most libraries' Allreduce p log2 p. A simulator's time goes by messages: at 8192 processes that is a factor of 6.
 * Who waits does so in a receive or a synchronous send: SimGrid 3.32 goes through all other sends that are under way
 * whenever one of them ends.
 */
#ifndef ISOCHRON_TEAM_AGREE_H
#define ISOCHRON_TEAM_AGREE_H

#include "machine/team.h"

/* Collective: the largest of each of the words of all processes, on all of them, in place. Rank 0 has them first. */
int team_maximum(const struct team *team, void *words, int count, MPI_Datatype type, struct fault *fault);

/* No process leaves before every process has come; the last leaves log2 p messages after rank 0. */
int team_meet(const struct team *team, struct fault *fault);

/* The same for schemes that start from it: all leave within about one message of each other. */
int team_barrier(const struct team *team, struct fault *fault);

/*
 * Collective: if any process has a fault, all return the worst code, and the lowest rank that has it prints its line.
 * A process without a fault of its own takes over the code.
 */
int team_agree(const struct team *team, struct fault *fault);

/*
 * Collective: a usage fault on each process that was started with other words than rank 0. Options that differ would
 * make one process wait for messages that no other sends.
 */
int team_same_words(const struct team *team, int count, char **words, struct fault *fault);

#endif
