/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slow.c: loaded before an MPI library (LD_PRELOAD), it makes some collectives take longer by a known factor.
 *
 * ISOCHRON_SLOWDOWN names a file with a line for each operation: its name and the share by which each call of it is
 * longer, as in `bcast 0.05`. A process that cannot read the file ends. One that can appends its number to
 * `<file>.loaded`, so that whoever asked for the slowness knows that it was there.
 *
 * A call that took t on a process is followed by busy waiting of share × t on that process. A run begins at one time on
 * all processes and ends with the last of them, so its time is longer by the same share, whatever t was in that run: so
 * are its median and every other quantile. Times are ticks of the processor (TSC), since no unit is needed and a
 * reading costs a third of one of the kernel's clock. What three readings cost is measured in MPI_Init and counts as
 * part of t; they are there in every call, with share 0 too. The wait ends at a reading, which comes in steps: the time
 * to wait for is moved by a random part of a step, which makes the wait right in the mean, and a share of less than a
 * step not 0.
 *
 * Shares are at most 1. The time in which a process waits for another one is longer, too, and the other one then waits
 * for this in its next call: where calls follow each other without a pause (what the engine says to itself), shares
 * above 1 would let both wait longer and longer.
 *
 * The arguments are handed on and never looked at. In the calling convention of x86-64 each is a register or 8 bytes of
 * the stack, whatever the library's own types are, so one library serves all MPI libraries, and needs no mpi.h.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if !defined(__x86_64__)
#error "slow.c hands arguments on as the calling convention of x86-64 lets it; no other machine is supported"
#endif

typedef uintptr_t word;

enum operation { BCAST, REDUCE, ALLREDUCE, ALLGATHER, ALLTOALL, OPERATIONS };

static const char *const NAMES[OPERATIONS] = {"bcast", "reduce", "allreduce", "allgather", "alltoall"};

enum { NAME_LENGTH = 31, PATH_LENGTH = 4096, READINGS = 1000, IN_A_ROW = 10 };

static double slow_share[OPERATIONS];
static double slow_step; /* ticks that a reading takes */
static uint64_t slow_chance = 1;

/* Ticks when all that stands before it is done. */
static uint64_t slow_now(void)
{
    unsigned int processor;
    return __builtin_ia32_rdtscp(&processor);
}

static void slow_refuse(const char *path, const char *why)
{
    fprintf(stderr, "slow.c: ISOCHRON_SLOWDOWN=%s: %s\n", path, why);
    _exit(2);
}

static void slow_read(const char *path)
{
    FILE *const file = fopen(path, "r");
    if (file == NULL) {
        slow_refuse(path, "cannot be read");
    }
    char name[NAME_LENGTH + 1];
    double share = 0.0;
    int count;
    while ((count = fscanf(file, "%31s %lf", name, &share)) == 2) {
        int which = 0;
        while (which < OPERATIONS && strcmp(name, NAMES[which]) != 0) {
            which++;
        }
        if (which == OPERATIONS || !(share >= 0.0)) {
            slow_refuse(path, "a line is not `operation share`");
        }
        slow_share[which] = share;
    }
    if (count != EOF) {
        slow_refuse(path, "a line is not `operation share`");
    }
    fclose(file);
}

static void slow_tell(const char *path)
{
    char name[PATH_LENGTH];
    const int length = snprintf(name, sizeof name, "%s.loaded", path);
    FILE *const file = length < PATH_LENGTH ? fopen(name, "a") : NULL;
    if (file == NULL || fprintf(file, "%ld\n", (long)getpid()) < 0 || fclose(file) != 0) {
        slow_refuse(path, "its `.loaded` cannot be written");
    }
}

static void slow_begin(void)
{
    const char *const path = getenv("ISOCHRON_SLOWDOWN");
    if (path == NULL) {
        slow_refuse("", "is not set");
    }
    slow_read(path);
    slow_tell(path);
    slow_step = 1e9;
    for (int i = 0; i < READINGS; i++) {
        const uint64_t begin = slow_now();
        for (int k = 1; k < IN_A_ROW; k++) {
            (void)slow_now();
        }
        const double step = (double)(slow_now() - begin) / IN_A_ROW;
        slow_step = step < slow_step ? step : slow_step;
    }
    slow_chance = slow_now() ^ ((uint64_t)getpid() << 32);
}

/* A number in [0, 1). */
static double slow_random(void)
{
    slow_chance = slow_chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(slow_chance >> 11) * 0x1p-53;
}

/*
 * Waits after a call that began at `begin`. With share 0 it reads the clock twice, the last time a step after `end`;
 * with a share it is to return by share × (time of all that, seen from outside) later.
 */
static void slow_wait(enum operation which, uint64_t begin)
{
    const uint64_t end = slow_now();
    const double seen = (double)(end - begin) + 2.0 * slow_step;
    const uint64_t wait = (uint64_t)(slow_share[which] * seen + slow_step * slow_random());
    while (slow_now() - end < wait) {
    }
}

#define WAITED(which, call)                                                                                            \
    const uint64_t begin = slow_now();                                                                                 \
    const int code = call;                                                                                             \
    slow_wait(which, begin);                                                                                           \
    return code

/* Nothing but an MPI process has them: other programs load this too (mpiexec, timeout). */
#define WEAK __attribute__((weak))

WEAK int PMPI_Init(word, word);
WEAK int PMPI_Init_thread(word, word, word, word);
WEAK int PMPI_Bcast(word, word, word, word, word);
WEAK int PMPI_Reduce(word, word, word, word, word, word, word);
WEAK int PMPI_Allreduce(word, word, word, word, word, word);
WEAK int PMPI_Allgather(word, word, word, word, word, word, word);
WEAK int PMPI_Alltoall(word, word, word, word, word, word, word);

int MPI_Init(word argc, word argv)
{
    slow_begin();
    return PMPI_Init(argc, argv);
}

int MPI_Init_thread(word argc, word argv, word required, word provided)
{
    slow_begin();
    return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Bcast(word a, word b, word c, word d, word e)
{
    WAITED(BCAST, PMPI_Bcast(a, b, c, d, e));
}

int MPI_Reduce(word a, word b, word c, word d, word e, word f, word g)
{
    WAITED(REDUCE, PMPI_Reduce(a, b, c, d, e, f, g));
}

int MPI_Allreduce(word a, word b, word c, word d, word e, word f)
{
    WAITED(ALLREDUCE, PMPI_Allreduce(a, b, c, d, e, f));
}

int MPI_Allgather(word a, word b, word c, word d, word e, word f, word g)
{
    WAITED(ALLGATHER, PMPI_Allgather(a, b, c, d, e, f, g));
}

int MPI_Alltoall(word a, word b, word c, word d, word e, word f, word g)
{
    WAITED(ALLTOALL, PMPI_Alltoall(a, b, c, d, e, f, g));
}
