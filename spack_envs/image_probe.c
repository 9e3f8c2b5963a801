/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints MPI_Get_library_version, which may be called before MPI_Init. */
#include <mpi.h>
#include <stdio.h>

int main(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) {
        return 1;
    }
    return fwrite(text, 1, (size_t)length, stdout) == (size_t)length ? 0 : 1;
}
