/* SPDX-License-Identifier: BSD-3-Clause */
/* neighborhood.c: links if neighbourhood collectives work; SimGrid declares them, but a call ends the program. */
#include <mpi.h>
#include <stddef.h>

#ifdef SMPI_H
#error "declared only"
#endif

int main(void)
{
    return MPI_Neighbor_allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD);
}
