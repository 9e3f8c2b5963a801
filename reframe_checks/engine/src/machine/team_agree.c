/* SPDX-License-Identifier: BSD-3-Clause */
/* team_agree.c: maxima, meetings, barriers and agreements (see team_agree.h). */
#include "machine/team_agree.h"

#include "base/crc32.h"
#include "machine/team_talk.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Up a binomial tree; each waits until its words are taken, see team.h. */
static int team_raise(const struct team *team, void *words, void *heard, int count, MPI_Datatype type,
                      struct fault *fault)
{
    const int rank = team->rank, size = team->size;
    for (int distance = 1; distance < size; distance *= 2) {
        if (rank & distance)
            return team_send_in_time(team, words, count, type, rank - distance, TEAM_TAG_RAISE, fault);
        if (rank + distance >= size)
            continue;
        if (team_receive(team, heard, count, type, rank + distance, TEAM_TAG_RAISE, fault) ||
            team_mpi(fault, MPI_Reduce_local(heard, words, count, type, MPI_MAX), "MPI_Reduce_local"))
            return (int)fault->code;
    }
    return 0;
}

int team_maximum(const struct team *team, void *words, int count, MPI_Datatype type, struct fault *fault)
{
    void *const heard = malloc((size_t)count * sizeof(int64_t) + 1); /* no word of ours is longer */
    if (heard == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for a maximum of %d words", count);
    const int code = team_raise(team, words, heard, count, type, fault);
    free(heard);
    return code ? code : team_broadcast(team, words, count, type, fault);
}

int team_meet(const struct team *team, struct fault *fault)
{
    int here = 1;
    return team_maximum(team, &here, 1, MPI_INT, fault);
}

/* Dissemination barrier: D. Hensgen, R. Finkel, U. Manber: Two algorithms for barrier synchronization, 1988. */
int team_barrier(const struct team *team, struct fault *fault)
{
    for (int distance = 1; distance < team->size; distance *= 2) {
        const int to = (team->rank + distance) % team->size;
        const int from = (team->rank - distance + team->size) % team->size;
        team_count(team, 1);
        const int result = MPI_Sendrecv(NULL, 0, MPI_BYTE, to, TEAM_TAG_BARRIER, NULL, 0, MPI_BYTE, from,
                                        TEAM_TAG_BARRIER, team->comm, MPI_STATUS_IGNORE);
        if (team_mpi(fault, result, "MPI_Sendrecv"))
            return (int)fault->code;
    }
    return 0;
}

int team_agree(const struct team *team, struct fault *fault)
{
    if (fault->agreed)
        return (int)fault->code;
    /* The highest code wins, and of those who have it the lowest rank: one maximum decides both. */
    const long own = (long)fault->code * team->size + (fault->code == FAULT_NONE ? 0 : team->size - 1 - team->rank);
    long worst = own;
    if (team_maximum(team, &worst, 1, MPI_LONG, fault))
        return (int)fault->code;
    if (worst == 0)
        return 0;
    if (worst == own)
        fprintf(stderr, "isochron-engine: %s\n", fault->text);
    fault->code = (enum fault_code)(worst / team->size);
    fault->agreed = true;
    return (int)fault->code;
}

int team_same_words(const struct team *team, int count, char **words, struct fault *fault)
{
    uint32_t crc = 0;
    for (int i = 1; i < count; i++)
        crc = crc32_update(crc, words[i], strlen(words[i]) + 1);
    int64_t first = (int64_t)crc;
    if (team_broadcast(team, &first, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    if (first == (int64_t)crc)
        return 0;
    return fault_set(fault, FAULT_USAGE,
                     "rank %d was started with other options than rank 0; start all processes by one command",
                     team->rank);
}
