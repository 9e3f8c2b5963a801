/* SPDX-License-Identifier: BSD-3-Clause */
/* first_call.c OPERATION BYTES: the first call of a program beside ten later
 * ones, as anybody would write it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) -
         (*(const double *)a < *(const double *)b);
}

int main(int argc, char **argv) {
  const int bytes = argc > 2 ? atoi(argv[2]) : 0;
  double times[11], slowest[11];
  MPI_Init(NULL, NULL);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char *const in = calloc((size_t)size, (size_t)bytes + 1), *const out = calloc(
                                                                (size_t)size,
                                                                (size_t)bytes +
                                                                    1);
  for (int i = 0; i < 11; i++) {
    if (i > 0)
      MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (strcmp(argv[1], "bcast") == 0)
      MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (strcmp(argv[1], "reduce") == 0)
      MPI_Reduce(in, out, bytes / 4, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
    else if (strcmp(argv[1], "allreduce") == 0)
      MPI_Allreduce(in, out, bytes / 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else
      MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
    times[i] = 1e6 * (MPI_Wtime() - start);
  }
  MPI_Reduce(times, slowest, 11, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const double first = times[0], all = slowest[0];
  qsort(times + 1, 10, sizeof *times, compare);
  qsort(slowest + 1, 10, sizeof *slowest, compare);
  if (rank == 0)
    printf("%.3f %.3f %.3f %.3f\n", first, (times[5] + times[6]) / 2, all,
           (slowest[5] + slowest[6]) / 2);
  MPI_Finalize();
  return 0;
}
