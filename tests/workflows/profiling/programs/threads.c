/* SPDX-License-Identifier: BSD-3-Clause */
/* THREADS threads that all send CALLS messages to themselves, of 1 to SIZES bytes, each on a communicator of its own.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, CALLS = 30000, SIZES = 500 };

static MPI_Comm copies[THREADS];

static void *talk(void *which)
{
    char in[SIZES] = {0}, out[SIZES];
    const MPI_Comm own = *(MPI_Comm *)which;
    MPI_Request request;
    for (int i = 0; i < CALLS; i++) {
        MPI_Irecv(out, SIZES, MPI_BYTE, 0, 0, own, &request);
        MPI_Send(in, 1 + i % SIZES, MPI_BYTE, 0, 0, own);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int count, char **words)
{
    pthread_t threads[THREADS];
    int provided;
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &copies[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        if (provided == MPI_THREAD_MULTIPLE) {
            pthread_create(&threads[i], NULL, talk, &copies[i]);
        } else {
            talk(&copies[i]);
        }
    }
    for (int i = 0; i < THREADS && provided == MPI_THREAD_MULTIPLE; i++) {
        pthread_join(threads[i], NULL);
    }
    MPI_Finalize();
    return 0;
}
