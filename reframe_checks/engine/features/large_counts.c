/* SPDX-License-Identifier: BSD-3-Clause */
/* large_counts.c: links if the MPI library has calls with MPI_Count (MPI 4.0). */
#include <mpi.h>
#include <stddef.h>

int main(void)
{
    MPI_Request request;
    const MPI_Count count = 0;
    return MPI_Allreduce_c(MPI_IN_PLACE, NULL, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD) +
           MPI_Ibcast_c(NULL, count, MPI_INT, 0, MPI_COMM_WORLD, &request) +
           MPI_Bcast_init_c(NULL, count, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}
