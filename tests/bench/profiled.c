/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints how many ns a call takes that does next to nothing: the least mean of BATCHES batches of CALLS calls. */
#include <mpi.h>
#include <stdio.h>

enum { BATCHES = 50, CALLS = 20000 };

#define TIMED(name, call)                                                                                              \
    do {                                                                                                               \
        double least = 1e9;                                                                                            \
        for (int batch = 0; batch < BATCHES; batch++) {                                                                \
            const double begin = MPI_Wtime();                                                                          \
            for (int i = 0; i < CALLS; i++) {                                                                          \
                call;                                                                                                  \
            }                                                                                                          \
            const double mean = (MPI_Wtime() - begin) / CALLS;                                                         \
            least = mean < least ? mean : least;                                                                       \
        }                                                                                                              \
        printf("%s %.2f\n", name, 1e9 * least);                                                                        \
    } while (0)

int main(int count, char **words)
{
    double in = 0.0, out;
    int flag;
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Init(&count, &words);
    TIMED("test", MPI_Test(&none, &flag, MPI_STATUS_IGNORE));
    TIMED("barrier", MPI_Barrier(MPI_COMM_SELF));
    TIMED("bcast", MPI_Bcast(&in, 1, MPI_DOUBLE, 0, MPI_COMM_SELF));
    TIMED("allreduce", MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF));
    TIMED("send-to-none", MPI_Send(&in, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_SELF));
    MPI_Finalize();
    return 0;
}
