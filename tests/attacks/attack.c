/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * attack.c: loaded before the MPI library and the C library, it lies to the engine on one rank. Settings by
 * environment:
 *
 * ATTACK: what it does to the rank:
 *   before, after: it sleeps ATTACK_US before or after a call that is measured
 *   engine: it sleeps after a collective call of the engine itself
 *   flip, stale: a bit of what has arrived is wrong; nothing arrives
 *   clock: its clock is ATTACK_NS and ATTACK_PPM off
 *   sizes: it says that every type has twice as many bytes
 * ATTACK_RANK: the rank; -1: all
 * ATTACK_SHARE: percent of the calls, drawn with ATTACK_SEED
 * ATTACK_FROM: the calls before this number are left alone
 * ATTACK_AFTER_MS, ATTACK_FOR_MS: when the clock is false, from the check of the timer on; for 0: for ever
 *
 * What is measured is on a copy of MPI_COMM_WORLD, what the engine says to itself on MPI_COMM_WORLD.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t SECOND_NS = 1000000000;

struct attack {
    const char *kind;
    double share, ppm;
    int64_t rank, us, ns, from, after_ns, for_ns;
    uint64_t state;
    int64_t calls;
    int64_t checked_ns; /* when the timer was checked last */
    int own;
};

static int64_t attack_number(const char *name)
{
    const char *const text = getenv(name);
    return text == NULL ? 0 : atoll(text);
}

static struct attack *attack_now(void)
{
    static struct attack attack;
    if (attack.kind == NULL) {
        const char *const kind = getenv("ATTACK"), *const ppm = getenv("ATTACK_PPM");
        attack = (struct attack){
            .kind = kind == NULL ? "" : kind,
            .share = (double)attack_number("ATTACK_SHARE") / 100.0,
            .ppm = ppm == NULL ? 0.0 : atof(ppm),
            .rank = attack_number("ATTACK_RANK"),
            .us = attack_number("ATTACK_US"),
            .ns = attack_number("ATTACK_NS"),
            .from = attack_number("ATTACK_FROM"),
            .after_ns = attack_number("ATTACK_AFTER_MS") * 1000000,
            .for_ns = attack_number("ATTACK_FOR_MS") * 1000000,
            .state = (uint64_t)attack_number("ATTACK_SEED") * 2654435761u + 1,
        };
        const char *const own = getenv("OMPI_COMM_WORLD_RANK");
        attack.own = own == NULL ? 0 : atoi(own);
    }
    return &attack;
}

static double attack_draw(struct attack *attack)
{
    attack->state = attack->state * 6364136223846793005u + 1442695040888963407u;
    return (double)(attack->state >> 11) / 9007199254740992.0;
}

/* Whether this call is hit by that kind of attack. */
static int attack_hits(const char *kind, MPI_Comm comm)
{
    struct attack *const attack = attack_now();
    const int engine = strcmp(kind, "engine") == 0;
    if (strcmp(attack->kind, kind) != 0 || (comm == MPI_COMM_WORLD) != engine)
        return 0;
    const double drawn = attack_draw(attack);
    return attack->calls++ >= attack->from && (attack->rank < 0 || attack->rank == attack->own) &&
           drawn < attack->share;
}

static void attack_sleep(void)
{
    const int64_t ns = attack_now()->us * 1000;
    const struct timespec pause = {.tv_sec = ns / SECOND_NS, .tv_nsec = ns % SECOND_NS};
    nanosleep(&pause, NULL);
}

/* One bit of the middle byte. */
static void attack_flip(void *data, int count, MPI_Datatype type)
{
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    if (count > 0 && bytes > 0)
        ((unsigned char *)data)[(size_t)count * (size_t)bytes / 2] ^= 1;
}

/* The call, with the attacks around it; received data are at out. */
#define ATTACK_CALL(call, comm, out, count, type)                                                                      \
    do {                                                                                                               \
        int size;                                                                                                      \
        size_t bytes;                                                                                                  \
        void *kept = NULL;                                                                                             \
        PMPI_Type_size(type, &size);                                                                                   \
        bytes = (size_t)(count) * (size_t)size;                                                                        \
        if (attack_hits("before", comm))                                                                               \
            attack_sleep();                                                                                            \
        if (attack_hits("stale", comm) && (kept = malloc(bytes + 1)) != NULL)                                          \
            memcpy(kept, out, bytes);                                                                                  \
        const int result = call;                                                                                       \
        if (kept != NULL)                                                                                              \
            memcpy(out, kept, bytes);                                                                                  \
        free(kept);                                                                                                    \
        if (attack_hits("flip", comm))                                                                                 \
            attack_flip(out, count, type);                                                                             \
        if (attack_hits("after", comm) || attack_hits("engine", comm))                                                 \
            attack_sleep();                                                                                            \
        return result;                                                                                                 \
    } while (0)

int MPI_Type_size(MPI_Datatype type, int *size)
{
    struct attack *const attack = attack_now();
    const int result = PMPI_Type_size(type, size);
    if (strcmp(attack->kind, "sizes") == 0 && (attack->rank < 0 || attack->rank == attack->own))
        *size *= 2;
    return result;
}

int MPI_Barrier(MPI_Comm comm)
{
    char none = 0;
    ATTACK_CALL(PMPI_Barrier(comm), comm, &none, 0, MPI_BYTE);
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    ATTACK_CALL(PMPI_Bcast(data, n, type, root, comm), comm, data, n, type);
}

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    ATTACK_CALL(PMPI_Allreduce(in, out, n, type, op, comm), comm, out, n, type);
}

int MPI_Reduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    ATTACK_CALL(PMPI_Reduce(in, out, n, type, op, root, comm), comm, out, rank == root ? n : 0, type);
}

int MPI_Alltoall(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype got, MPI_Comm comm)
{
    int size;
    PMPI_Comm_size(comm, &size);
    ATTACK_CALL(PMPI_Alltoall(in, n, type, out, m, got, comm), comm, out, m * size, got);
}

int MPI_Gather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype got, int root, MPI_Comm comm)
{
    int rank, size;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    ATTACK_CALL(PMPI_Gather(in, n, type, out, m, got, root, comm), comm, out, rank == root ? m * size : 0,
                rank == root ? got : MPI_BYTE);
}

int MPI_Scatter(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype got, int root, MPI_Comm comm)
{
    ATTACK_CALL(PMPI_Scatter(in, n, type, out, m, got, root, comm), comm, out, m, got);
}

int MPI_Allgather(const void *in, int n, MPI_Datatype type, void *out, int m, MPI_Datatype got, MPI_Comm comm)
{
    int size;
    PMPI_Comm_size(comm, &size);
    ATTACK_CALL(PMPI_Allgather(in, n, type, out, m, got, comm), comm, out, m * size, got);
}

/* What is wrong with the clock at that reading, in ns. */
static int64_t attack_shift(struct attack *attack, int64_t now_ns)
{
    const int64_t since_ns = now_ns - attack->checked_ns - attack->after_ns;
    if (attack->checked_ns == 0 || since_ns < 0 || (attack->for_ns > 0 && since_ns >= attack->for_ns) ||
        (attack->rank >= 0 && attack->rank != attack->own))
        return 0;
    return attack->ns + (int64_t)(1e-6 * attack->ppm * (double)since_ns);
}

/* The engine reads the kernel's raw clock before MPI_Init, and last when it checks its timer. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    static int (*real)(clockid_t, struct timespec *);
    static int checks;
    struct attack *const attack = attack_now();
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    const int code = real(clock, time);
    if (strcmp(attack->kind, "clock") != 0)
        return code;
    if (clock == CLOCK_MONOTONIC_RAW)
        PMPI_Initialized(&checks);
    if (clock != CLOCK_MONOTONIC)
        return code;
    int64_t now_ns = time->tv_sec * SECOND_NS + time->tv_nsec;
    if (checks)
        attack->checked_ns = now_ns;
    checks = 0;
    now_ns += attack_shift(attack, now_ns);
    *time = (struct timespec){.tv_sec = now_ns / SECOND_NS, .tv_nsec = now_ns % SECOND_NS};
    return code;
}
