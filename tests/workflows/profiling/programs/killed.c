/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes 1000 calls, then is killed as by `kill -9`. */
#include <mpi.h>
#include <signal.h>

int main(int count, char **words)
{
    int number = 0;
    MPI_Init(&count, &words);
    for (int i = 0; i < 1000; i++) {
        MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_SELF);
    }
    raise(SIGKILL);
    return 0;
}
