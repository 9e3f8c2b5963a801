/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * persistent_datatype.c: the data of the first start of a persistent send with a derived datatype.
 *
 * The standard lets a program fill the buffer between MPI_Send_init and MPI_Start. Each of two processes does so and
 * prints "right" if the other's data arrive as they were at the start, "stale" if as they were at MPI_Send_init.
 * Not part of the engine: it distinguishes a defect of an MPI library from one of the engine.
 */
#include <mpi.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    int rank = 0;
    char sent[] = "-------", received[] = "-------";
    MPI_Datatype type;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(2, 2, 5, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Recv_init(received, 1, type, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(sent, 1, type, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 7; i++)
        sent[i] = (char)('a' + i);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    puts(received[0] == 'a' && received[6] == 'g' ? "right" : "stale");
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
