/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_fortran.c: a Fortran interface for MPI libraries that were built without one, as the wheels of Open MPI and MPICH
 * are. It has the calls that the NAS Parallel Benchmarks make; any other is missing when the program is linked.
 *
 * Each call becomes the C call of the same name, so a profiler of C sees it. It costs a table look-up for each handle.
 * Handles are those of mpif.h: small numbers for what is known beforehand, else what MPI_Comm_c2f and MPI_Request_c2f
 * give. Statuses are not filled in: no kernel reads one.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORLD = -1, NO_COMM = -2, NO_REQUEST = -3, ANY_SOURCE = -11, ANY_TAG = -12, PROC_NULL = -13 };
enum { FEW_REQUESTS = 64 };

static MPI_Comm comm_of(int handle)
{
    return handle == WORLD ? MPI_COMM_WORLD : handle == NO_COMM ? MPI_COMM_NULL : MPI_Comm_f2c(handle);
}

static int comm_handle(MPI_Comm comm)
{
    return comm == MPI_COMM_WORLD ? WORLD : comm == MPI_COMM_NULL ? NO_COMM : MPI_Comm_c2f(comm);
}

static MPI_Request request_of(int handle)
{
    return handle == NO_REQUEST ? MPI_REQUEST_NULL : MPI_Request_f2c(handle);
}

static int request_handle(MPI_Request request)
{
    return request == MPI_REQUEST_NULL ? NO_REQUEST : MPI_Request_c2f(request);
}

static void refuse(const char *what, int handle)
{
    fprintf(stderr, "mpi_fortran.c: %d is no %s of mpif.h\n", handle, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static MPI_Datatype type_of(int handle)
{
    switch (handle) {
    case 1:
        return MPI_INT;
    case 2:
        return MPI_INT; /* gfortran's default logical has 4 bytes */
    case 3:
        return MPI_FLOAT;
    case 4:
        return MPI_DOUBLE;
    case 5:
        return MPI_C_FLOAT_COMPLEX;
    case 6:
        return MPI_C_DOUBLE_COMPLEX;
    case 7:
        return MPI_INT64_T;
    case 8:
        return MPI_CHAR;
    default:
        refuse("datatype", handle);
        return MPI_DATATYPE_NULL;
    }
}

static MPI_Op op_of(int handle)
{
    switch (handle) {
    case 1:
        return MPI_SUM;
    case 2:
        return MPI_MAX;
    case 3:
        return MPI_MIN;
    case 4:
        return MPI_PROD;
    default:
        refuse("operator", handle);
        return MPI_OP_NULL;
    }
}

static int peer_of(int rank)
{
    return rank == ANY_SOURCE ? MPI_ANY_SOURCE : rank == PROC_NULL ? MPI_PROC_NULL : rank;
}

static int tag_of(int tag)
{
    return tag == ANY_TAG ? MPI_ANY_TAG : tag;
}

#define FORTRAN(name, ...)                                                                                             \
    void name(__VA_ARGS__);                                                                                            \
    void name(__VA_ARGS__)

FORTRAN(mpi_init_, int *code)
{
    *code = MPI_Init(NULL, NULL);
}

FORTRAN(mpi_finalize_, int *code)
{
    *code = MPI_Finalize();
}

FORTRAN(mpi_abort_, const int *comm, const int *error, int *code)
{
    *code = MPI_Abort(comm_of(*comm), *error);
}

FORTRAN(mpi_comm_size_, const int *comm, int *size, int *code)
{
    *code = MPI_Comm_size(comm_of(*comm), size);
}

FORTRAN(mpi_comm_rank_, const int *comm, int *rank, int *code)
{
    *code = MPI_Comm_rank(comm_of(*comm), rank);
}

FORTRAN(mpi_comm_dup_, const int *comm, int *copy, int *code)
{
    MPI_Comm made;
    *code = MPI_Comm_dup(comm_of(*comm), &made);
    *copy = comm_handle(made);
}

FORTRAN(mpi_comm_split_, const int *comm, const int *colour, const int *key, int *part, int *code)
{
    MPI_Comm made;
    *code = MPI_Comm_split(comm_of(*comm), *colour, *key, &made);
    *part = comm_handle(made);
}

FORTRAN(mpi_barrier_, const int *comm, int *code)
{
    *code = MPI_Barrier(comm_of(*comm));
}

FORTRAN(mpi_bcast_, void *data, const int *count, const int *type, const int *root, const int *comm, int *code)
{
    *code = MPI_Bcast(data, *count, type_of(*type), *root, comm_of(*comm));
}

FORTRAN(mpi_reduce_, const void *from, void *to, const int *count, const int *type, const int *op, const int *root,
        const int *comm, int *code)
{
    *code = MPI_Reduce(from, to, *count, type_of(*type), op_of(*op), *root, comm_of(*comm));
}

FORTRAN(mpi_allreduce_, const void *from, void *to, const int *count, const int *type, const int *op, const int *comm,
        int *code)
{
    *code = MPI_Allreduce(from, to, *count, type_of(*type), op_of(*op), comm_of(*comm));
}

FORTRAN(mpi_alltoall_, const void *from, const int *count, const int *type, void *to, const int *to_count,
        const int *to_type, const int *comm, int *code)
{
    *code = MPI_Alltoall(from, *count, type_of(*type), to, *to_count, type_of(*to_type), comm_of(*comm));
}

FORTRAN(mpi_send_, const void *data, const int *count, const int *type, const int *to, const int *tag, const int *comm,
        int *code)
{
    *code = MPI_Send(data, *count, type_of(*type), peer_of(*to), *tag, comm_of(*comm));
}

FORTRAN(mpi_recv_, void *data, const int *count, const int *type, const int *from, const int *tag, const int *comm,
        int *status, int *code)
{
    (void)status;
    *code = MPI_Recv(data, *count, type_of(*type), peer_of(*from), tag_of(*tag), comm_of(*comm), MPI_STATUS_IGNORE);
}

FORTRAN(mpi_isend_, const void *data, const int *count, const int *type, const int *to, const int *tag, const int *comm,
        int *handle, int *code)
{
    MPI_Request request;
    *code = MPI_Isend(data, *count, type_of(*type), peer_of(*to), *tag, comm_of(*comm), &request);
    *handle = request_handle(request);
}

FORTRAN(mpi_irecv_, void *data, const int *count, const int *type, const int *from, const int *tag, const int *comm,
        int *handle, int *code)
{
    MPI_Request request;
    *code = MPI_Irecv(data, *count, type_of(*type), peer_of(*from), tag_of(*tag), comm_of(*comm), &request);
    *handle = request_handle(request);
}

FORTRAN(mpi_wait_, int *handle, int *status, int *code)
{
    (void)status;
    MPI_Request request = request_of(*handle);
    *code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    *handle = request_handle(request);
}

FORTRAN(mpi_waitall_, const int *count, int *handles, int *statuses, int *code)
{
    (void)statuses;
    MPI_Request few[FEW_REQUESTS], *requests = few;
    if (*count > FEW_REQUESTS)
        requests = malloc((size_t)*count * sizeof *requests);
    if (!requests)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < *count; i++)
        requests[i] = request_of(handles[i]);
    *code = MPI_Waitall(*count, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < *count; i++)
        handles[i] = request_handle(requests[i]);
    if (requests != few)
        free(requests);
}

double mpi_wtime_(void);
double mpi_wtime_(void)
{
    return MPI_Wtime();
}
