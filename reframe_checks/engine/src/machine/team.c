/* SPDX-License-Identifier: BSD-3-Clause */
/* team.c: the processes of the launch (see team.h). */
#include "machine/team.h"

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

void team_open(struct team *team, struct traffic *traffic)
{
    *team = (struct team){.comm = MPI_COMM_WORLD, .measured = MPI_COMM_NULL, .traffic = traffic};
    MPI_Comm_set_errhandler(team->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(team->comm, &team->rank);
    MPI_Comm_size(team->comm, &team->size);
}

int team_copy(struct team *team, struct fault *fault)
{
    if (team_mpi(fault, MPI_Comm_dup(team->comm, &team->measured), "MPI_Comm_dup"))
        return (int)fault->code;
    MPI_Comm_set_errhandler(team->measured, MPI_ERRORS_RETURN);
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
