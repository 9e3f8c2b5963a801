/* SPDX-License-Identifier: BSD-3-Clause */
/* What a module of Python does: it brings the MPI library, whose names nobody else sees. */
#include <mpi.h>
#include <stddef.h>

int run(void);

int run(void)
{
    MPI_Init(NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
