/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi.c: an MPI library that lies or fails, put before the real one; LIE says how. Only sums of floats are touched:
 * what the engine measures, not what it agrees upon itself.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What happens to a launch happens after it has begun to measure. */
enum { LATER = 200 };

static int lie_is(const char *name)
{
    const char *lie = getenv("LIE");
    return lie != NULL && strcmp(lie, name) == 0;
}

static int misfortune(MPI_Comm comm)
{
    static int calls;
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    if (++calls != LATER || rank != 1)
        return MPI_SUCCESS;
    if (lie_is("crash"))
        abort();
    if (lie_is("exit"))
        _exit(0);
    while (lie_is("hang"))
        sleep(1);
    return lie_is("error") ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    if (type != MPI_FLOAT)
        return PMPI_Allreduce(send, receive, count, type, op, comm);
    if (lie_is("nothing"))
        return MPI_SUCCESS;
    const int code = PMPI_Allreduce(send, receive, count, type, op, comm);
    if (lie_is("bit"))
        ((char *)receive)[2] ^= 1;
    const int bad = misfortune(comm);
    return bad != MPI_SUCCESS ? bad : code;
}

int MPI_Get_library_version(char *text, int *length)
{
    const int code = PMPI_Get_library_version(text, length);
    if (lie_is("version")) {
        strcpy(text, "Open MPI v4.0.0, another library");
        *length = (int)strlen(text);
    }
    return code;
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    const int code = PMPI_Comm_size(comm, size);
    if (lie_is("size"))
        *size = 1;
    return code;
}
