/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * team_talk.h: the engine's own messages, counted (struct traffic).
 *
 * A collective call of the library counts as what it takes at least, p - 1 messages from or to rank 0, there and back
 * for a sum. Communicators that are made, and the library's own barriers of --memory, are not counted.
 */
#ifndef ISOCHRON_TEAM_TALK_H
#define ISOCHRON_TEAM_TALK_H

#include "machine/team.h"

/* Counts what this process sends in another way. */
void team_count(const struct team *team, int messages);

int team_send(const struct team *team, const void *words, int count, MPI_Datatype type, int to, int tag,
              struct fault *fault);

/* Returns when the other side has begun to receive. */
int team_send_in_time(const struct team *team, const void *words, int count, MPI_Datatype type, int to, int tag,
                      struct fault *fault);

int team_receive(const struct team *team, void *words, int count, MPI_Datatype type, int from, int tag,
                 struct fault *fault);

/* Collective: from rank 0 to all; */
int team_broadcast(const struct team *team, void *words, int count, MPI_Datatype type, struct fault *fault);

/* from all to rank 0, where all has room for count of each; */
int team_gather(const struct team *team, const void *own, void *all, int count, MPI_Datatype type, struct fault *fault);

/* from rank 0 to each its own; */
int team_scatter(const struct team *team, const void *all, void *own, int count, MPI_Datatype type,
                 struct fault *fault);

/* the sums over all, on all. */
int team_sum(const struct team *team, int64_t *words, int count, struct fault *fault);

#endif
