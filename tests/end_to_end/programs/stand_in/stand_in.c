/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stand_in.c: no part of NPB and no benchmark. It adds some numbers and prints a result as NPB does, so that tests can
 * go the whole way without NPB's sources. As EP it is honest; as IS and CG it lies, each in a way of its own.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int is(const char *kernel)
{
    return strcmp(KERNEL, kernel) == 0;
}

int main(int argc, char **argv)
{
    int rank, processes, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    double seconds = 0.25 / processes; /* made up: tests know what must be in the tables */
    if (rank == 0) {
        int said = is("IS") ? processes + 1 : processes; /* a lie about the processes */
        double rate = 100.0 / seconds;
        printf(" Stand-in for NPB, for tests: not a benchmark\n\n\n %s Benchmark Completed.\n", KERNEL);
        printf(" Class           = %24s\n", CLASS);
        printf(" Size            = %24d\n", 64);
        printf(" Iterations      = %24d\n", 1);
        printf(" Time in seconds = %24.2f\n", seconds);
        printf(" Total processes = %24d\n", said);
        printf(" Active processes= %24d\n", said);
        printf(" Mop/s total     = %24.2f\n", rate);
        printf(" Mop/s/process   = %24.2f\n", rate / said);
        printf(" Operation type  = %24s\n", "stand-in");
        printf(" Verification    = %24s\n", is("CG") ? "UNSUCCESSFUL" : "SUCCESSFUL"); /* a lie about the result */
        printf(" Version         = %24s\n", "0.0");
        printf(" Compile date    = %24s\n", "none");
        printf("\n Compile options:\n    FFLAGS       = none\n");
    }
    MPI_Finalize();
    return sum == processes * (processes - 1) / 2 ? 0 : 1;
}
