/* SPDX-License-Identifier: BSD-3-Clause */
/* team.c: the processes of the launch, their barrier and their agreement (see team.h). */
#include "machine/team.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

int team_mpi(struct fault *fault, int result, const char *what)
{
    if (result == MPI_SUCCESS)
        return 0;
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length = 0;
    MPI_Error_string(result, text, &length);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    return fault_set(fault, FAULT_SYSTEM, "%s: %.400s", what, text);
}

int team_open(struct team *team, struct fault *fault)
{
    *team = (struct team){.comm = MPI_COMM_WORLD, .measured = MPI_COMM_NULL};
    MPI_Comm_set_errhandler(team->comm, MPI_ERRORS_RETURN);
    if (team_mpi(fault, MPI_Comm_dup(team->comm, &team->measured), "MPI_Comm_dup"))
        return (int)fault->code;
    MPI_Comm_set_errhandler(team->measured, MPI_ERRORS_RETURN);
    MPI_Comm_rank(team->comm, &team->rank);
    MPI_Comm_size(team->comm, &team->size);
    return 0;
}

int team_reorder(struct team *team, const int64_t *process, struct fault *fault)
{
    int key = 0;
    int *const keys = team->rank == 0 ? calloc((size_t)team->size, sizeof *keys) : NULL;
    if (team->rank == 0 && keys == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the order of %d ranks", team->size);
    for (int i = 0; team->rank == 0 && i < team->size; i++)
        keys[process[i]] = i;
    const int result = MPI_Scatter(keys, 1, MPI_INT, &key, 1, MPI_INT, 0, team->comm);
    free(keys);
    if (team_mpi(fault, result, "MPI_Scatter"))
        return (int)fault->code;
    MPI_Comm_free(&team->measured);
    if (team_mpi(fault, MPI_Comm_split(team->comm, 0, key, &team->measured), "MPI_Comm_split"))
        return (int)fault->code;
    MPI_Comm_set_errhandler(team->measured, MPI_ERRORS_RETURN);
    return 0;
}

void team_close(struct team *team)
{
    if (team->measured != MPI_COMM_NULL)
        MPI_Comm_free(&team->measured);
}

/* Up a binomial tree; each waits until its words are taken, see team.h. */
static int team_raise(MPI_Comm comm, void *words, void *heard, int count, MPI_Datatype type, struct fault *fault)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int distance = 1; distance < size; distance *= 2) {
        if (rank & distance)
            return team_mpi(fault, MPI_Ssend(words, count, type, rank - distance, TEAM_TAG_RAISE, comm), "MPI_Ssend");
        if (rank + distance >= size)
            continue;
        if (team_mpi(fault, MPI_Recv(heard, count, type, rank + distance, TEAM_TAG_RAISE, comm, MPI_STATUS_IGNORE),
                     "MPI_Recv") ||
            team_mpi(fault, MPI_Reduce_local(heard, words, count, type, MPI_MAX), "MPI_Reduce_local"))
            return (int)fault->code;
    }
    return 0;
}

int team_maximum(MPI_Comm comm, void *words, int count, MPI_Datatype type, struct fault *fault)
{
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    void *const heard = malloc((size_t)count * (size_t)bytes + 1);
    if (heard == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for a maximum of %d words", count);
    const int code = team_raise(comm, words, heard, count, type, fault);
    free(heard);
    return code ? code : team_mpi(fault, MPI_Bcast(words, count, type, 0, comm), "MPI_Bcast");
}

int team_meet(const struct team *team, struct fault *fault)
{
    int here = 1;
    return team_maximum(team->comm, &here, 1, MPI_INT, fault);
}

/* Dissemination barrier: D. Hensgen, R. Finkel, U. Manber: Two algorithms for barrier synchronization, 1988. */
int team_barrier(const struct team *team, struct fault *fault)
{
    for (int distance = 1; distance < team->size; distance *= 2) {
        const int to = (team->rank + distance) % team->size;
        const int from = (team->rank - distance + team->size) % team->size;
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
    if (team_maximum(team->comm, &worst, 1, MPI_LONG, fault))
        return (int)fault->code;
    if (worst == 0)
        return 0;
    if (worst == own)
        fprintf(stderr, "isochron-engine: %s\n", fault->text);
    fault->code = (enum fault_code)(worst / team->size);
    fault->agreed = true;
    return (int)fault->code;
}
