/* SPDX-License-Identifier: BSD-3-Clause */
/* persistent.c: links if the MPI library has persistent collectives (MPI 4.0). */
#include <mpi.h>
#include <stddef.h>

int main(void)
{
    MPI_Request request;
    return MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request) +
           MPI_Allreduce_init(MPI_IN_PLACE, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request) +
           MPI_Neighbor_allgather_init(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}
