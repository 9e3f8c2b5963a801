/* SPDX-License-Identifier: BSD-3-Clause */
/* team_talk.c: sends, receives and counts (see team_talk.h). */
#include "machine/team_talk.h"

#include <stddef.h>

void team_count(const struct team *team, int messages)
{
    if (team->traffic != NULL)
        team->traffic->messages += messages;
}

/* What rank 0 counts for all. */
static void team_count_once(const struct team *team, int messages)
{
    if (team->rank == 0)
        team_count(team, messages);
}

int team_send(const struct team *team, const void *words, int count, MPI_Datatype type, int to, int tag,
              struct fault *fault)
{
    team_count(team, 1);
    return team_mpi(fault, MPI_Send(words, count, type, to, tag, team->comm), "MPI_Send");
}

int team_send_in_time(const struct team *team, const void *words, int count, MPI_Datatype type, int to, int tag,
                      struct fault *fault)
{
    team_count(team, 1);
    return team_mpi(fault, MPI_Ssend(words, count, type, to, tag, team->comm), "MPI_Ssend");
}

int team_receive(const struct team *team, void *words, int count, MPI_Datatype type, int from, int tag,
                 struct fault *fault)
{
    return team_mpi(fault, MPI_Recv(words, count, type, from, tag, team->comm, MPI_STATUS_IGNORE), "MPI_Recv");
}

int team_broadcast(const struct team *team, void *words, int count, MPI_Datatype type, struct fault *fault)
{
    team_count_once(team, team->size - 1);
    return team_mpi(fault, MPI_Bcast(words, count, type, 0, team->comm), "MPI_Bcast");
}

int team_gather(const struct team *team, const void *own, void *all, int count, MPI_Datatype type, struct fault *fault)
{
    team_count_once(team, team->size - 1);
    return team_mpi(fault, MPI_Gather(own, count, type, all, count, type, 0, team->comm), "MPI_Gather");
}

int team_scatter(const struct team *team, const void *all, void *own, int count, MPI_Datatype type, struct fault *fault)
{
    team_count_once(team, team->size - 1);
    return team_mpi(fault, MPI_Scatter(all, count, type, own, count, type, 0, team->comm), "MPI_Scatter");
}

int team_sum(const struct team *team, int64_t *words, int count, struct fault *fault)
{
    team_count_once(team, 2 * (team->size - 1));
    return team_mpi(fault, MPI_Allreduce(MPI_IN_PLACE, words, count, MPI_INT64_T, MPI_SUM, team->comm),
                    "MPI_Allreduce");
}
