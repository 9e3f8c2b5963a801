/* SPDX-License-Identifier: BSD-3-Clause */
/* team.c: the processes of the launch (see team.h). */
#include "machine/team.h"

#include "base/crc32.h"
#include "machine/errors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void team_open(struct team *team, struct traffic *traffic)
{
    *team = (struct team){.comm = MPI_COMM_WORLD, .measured = MPI_COMM_NULL, .traffic = traffic};
    errors_return_comm(team->comm);
    MPI_Comm_rank(team->comm, &team->rank);
    MPI_Comm_size(team->comm, &team->size);
}

int team_copy(struct team *team, struct fault *fault)
{
    if (team_mpi(fault, MPI_Comm_dup(team->comm, &team->measured), "MPI_Comm_dup"))
        return (int)fault->code;
    errors_return_comm(team->measured);
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
    errors_return_comm(team->measured);
    return 0;
}

int team_join(MPI_Comm parent, const int *members, int count, MPI_Comm *comm, struct fault *fault)
{
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    if (team_mpi(fault, MPI_Comm_group(parent, &all), "MPI_Comm_group") == 0 &&
        team_mpi(fault, MPI_Group_incl(all, count, members, &some), "MPI_Group_incl") == 0 &&
        team_mpi(fault, MPI_Comm_create_group(parent, some, TEAM_TAG_JOIN, comm), "MPI_Comm_create_group") == 0)
        errors_return_comm(*comm);
    if (some != MPI_GROUP_NULL)
        MPI_Group_free(&some);
    if (all != MPI_GROUP_NULL)
        MPI_Group_free(&all);
    return (int)fault->code;
}

void team_close(struct team *team)
{
    if (team->measured != MPI_COMM_NULL)
        MPI_Comm_free(&team->measured);
}

void team_count(const struct team *team, int messages)
{
    if (team->traffic != NULL)
        team->traffic->messages += messages;
}

/* Count on rank 0 for all processes. */
static void team_count_once(const struct team *team, int messages)
{
    if (team->rank == 0)
        team_count(team, messages);
}

int team_send(const struct team *team, const void *values, int count, MPI_Datatype type, int to, int tag,
              struct fault *fault)
{
    team_count(team, 1);
    return team_mpi(fault, MPI_Send(values, count, type, to, tag, team->comm), "MPI_Send");
}

int team_send_synchronous(const struct team *team, const void *values, int count, MPI_Datatype type, int to, int tag,
                          struct fault *fault)
{
    team_count(team, 1);
    return team_mpi(fault, MPI_Ssend(values, count, type, to, tag, team->comm), "MPI_Ssend");
}

int team_receive(const struct team *team, void *values, int count, MPI_Datatype type, int from, int tag,
                 struct fault *fault)
{
    return team_mpi(fault, MPI_Recv(values, count, type, from, tag, team->comm, MPI_STATUS_IGNORE), "MPI_Recv");
}

int team_broadcast(const struct team *team, void *values, int count, MPI_Datatype type, struct fault *fault)
{
    team_count_once(team, team->size - 1);
    return team_mpi(fault, MPI_Bcast(values, count, type, 0, team->comm), "MPI_Bcast");
}

int team_gather(const struct team *team, const void *local, void *all, int count, MPI_Datatype type,
                struct fault *fault)
{
    team_count_once(team, team->size - 1);
    return team_mpi(fault, MPI_Gather(local, count, type, all, count, type, 0, team->comm), "MPI_Gather");
}

int team_scatter(const struct team *team, const void *all, void *local, int count, MPI_Datatype type,
                 struct fault *fault)
{
    team_count_once(team, team->size - 1);
    return team_mpi(fault, MPI_Scatter(all, count, type, local, count, type, 0, team->comm), "MPI_Scatter");
}

int team_sum(const struct team *team, int64_t *values, int count, struct fault *fault)
{
    team_count_once(team, 2 * (team->size - 1));
    return team_mpi(fault, MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_SUM, team->comm),
                    "MPI_Allreduce");
}

/* Up a binomial tree; each process waits until its values are received (see team.h). */
static int team_reduce_maximum(const struct team *team, void *values, void *received, int count, MPI_Datatype type,
                               struct fault *fault)
{
    const int rank = team->rank, size = team->size;
    for (int distance = 1; distance < size; distance *= 2) {
        if (rank & distance)
            return team_send_synchronous(team, values, count, type, rank - distance, TEAM_TAG_MAXIMUM, fault);
        if (rank + distance >= size)
            continue;
        if (team_receive(team, received, count, type, rank + distance, TEAM_TAG_MAXIMUM, fault) ||
            team_mpi(fault, MPI_Reduce_local(received, values, count, type, MPI_MAX), "MPI_Reduce_local"))
            return (int)fault->code;
    }
    return 0;
}

int team_maximum(const struct team *team, void *values, int count, MPI_Datatype type, struct fault *fault)
{
    void *const received = malloc((size_t)count * sizeof(int64_t) + 1); /* no value is longer */
    if (received == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for a maximum of %d words", count);
    const int code = team_reduce_maximum(team, values, received, count, type, fault);
    free(received);
    return code ? code : team_broadcast(team, values, count, type, fault);
}

int team_meet(const struct team *team, struct fault *fault)
{
    int present = 1;
    return team_maximum(team, &present, 1, MPI_INT, fault);
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
    /* The highest code wins, then the lowest rank with that code: one maximum decides both. */
    const long local = (long)fault->code * team->size + (fault->code == FAULT_NONE ? 0 : team->size - 1 - team->rank);
    long worst = local;
    if (team_maximum(team, &worst, 1, MPI_LONG, fault))
        return (int)fault->code;
    if (worst == 0)
        return 0;
    if (worst == local)
        fprintf(stderr, "isochron-engine: %s\n", fault->text);
    fault->code = (enum fault_code)(worst / team->size);
    fault->agreed = true;
    return (int)fault->code;
}

int team_check_arguments(const struct team *team, int count, char **values, struct fault *fault)
{
    uint32_t crc = 0;
    for (int i = 1; i < count; i++)
        crc = crc32_update(crc, values[i], strlen(values[i]) + 1);
    int64_t first = (int64_t)crc;
    if (team_broadcast(team, &first, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    if (first == (int64_t)crc)
        return 0;
    return fault_set(fault, FAULT_USAGE, "rank %d has other options than rank 0; start all processes by one command",
                     team->rank);
}
