/* SPDX-License-Identifier: BSD-3-Clause */
/* A known number of calls of known sizes on two processes. */
#include <mpi.h>
#include <string.h>

int main(int count, char **words)
{
    double in[100], out[400], sums[100];
    int counts[2] = {3, 1}, places[2] = {0, 10}, rank;
    MPI_Comm alone, copy;
    MPI_Datatype pair;
    MPI_Request requests[2];
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    for (int i = 0; i < 10; i++) {
        MPI_Bcast(in, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 5; i++) {
        MPI_Allreduce(in, sums, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
    MPI_Allreduce(MPI_IN_PLACE, sums, 1, MPI_INT, MPI_MAX, alone);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(copy);
    MPI_Type_vector(2, 3, 10, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    MPI_Bcast(out, 2, pair, 1, copy);
    MPI_Alltoall(in, 4, MPI_FLOAT, out, 4, MPI_FLOAT, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoallv(in, counts, places, MPI_DOUBLE, out, rank ? (int[]){1, 1} : (int[]){3, 3}, places, MPI_DOUBLE,
                  MPI_COMM_WORLD);
    MPI_Isend(in, 7, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(out, 9, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(in, 5, MPI_CHAR, 1 - rank, 1, out, 6, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(in, 3, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Sendrecv(in, 6, MPI_CHAR, rank, 1, out, 6, MPI_CHAR, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ireduce(in, sums, 50, MPI_DOUBLE, MPI_SUM, 0, copy, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    MPI_Type_free(&pair);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&alone);
    MPI_Finalize();
    return 0;
}
