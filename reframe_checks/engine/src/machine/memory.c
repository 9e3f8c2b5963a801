/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.c: samples of memory use, the steps that provoke it, and their record (see memory.h; proc(5) for the keys). */
#include "machine/memory.h"

#include "machine/team.h"
#include "statistics/statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

/* A line of a file in /proc/self that contributes to a figure. */
struct memory_source {
    const char *key;
    enum memory_figure figure;
};

static const struct memory_source MEMORY_ROLLUP[] = {
    {"Pss:", MEMORY_PSS},
    {"Private_Clean:", MEMORY_PRIVATE},
    {"Private_Dirty:", MEMORY_PRIVATE},
    {"Rss:", MEMORY_RSS},
    {"Pss_Shmem:", MEMORY_SHARED},
    {"AnonHugePages:", MEMORY_HUGE},
    {"ShmemPmdMapped:", MEMORY_HUGE},
    {"Shared_Hugetlb:", MEMORY_HUGE},
    {"Private_Hugetlb:", MEMORY_HUGE},
    {NULL, MEMORY_FIGURES},
};

static const struct memory_source MEMORY_STATUS[] = {
    {"VmLck:", MEMORY_LOCKED},
    {"VmPin:", MEMORY_PINNED},
    {NULL, MEMORY_FIGURES},
};

/* Add up the lines "Key: N kB" of the sources. */
static void memory_read(const char *path, const struct memory_source *sources, int64_t *figures)
{
    FILE *const file = fopen(path, "r");
    char line[256];
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        char key[64];
        long long kibibytes = 0;
        if (sscanf(line, "%63s %lld kB", key, &kibibytes) != 2)
            continue;
        for (const struct memory_source *source = sources; source->key != NULL; source++) {
            int64_t *const figure = &figures[source->figure];
            if (strcmp(source->key, key) == 0)
                *figure = (*figure < 0 ? 0 : *figure) + kibibytes * 1024;
        }
    }
    fclose(file);
}

void memory_sample(struct memory *memory, enum memory_step step)
{
    int64_t *const figures = memory->samples[step];
    struct statvfs disk;
    for (int figure = 0; figure < MEMORY_FIGURES; figure++)
        figures[figure] = -1;
    memory_read("/proc/self/smaps_rollup", MEMORY_ROLLUP, figures);
    memory_read("/proc/self/status", MEMORY_STATUS, figures);
    if (statvfs("/dev/shm", &disk) == 0)
        figures[MEMORY_DEV_SHM] = (int64_t)((disk.f_blocks - disk.f_bfree) * disk.f_frsize);
}

enum {
    MEMORY_EAGER_BLOCK = 64,
    MEMORY_RENDEZVOUS_BLOCK = 256 << 10, /* above the eager limits of current libraries */
    MEMORY_BUFFER_LIMIT = 256 << 20      /* of one buffer: with many processes blocks are smaller */
};

static int64_t memory_block(enum memory_step step, int size)
{
    if (step == MEMORY_ALLTOALL_EAGER)
        return MEMORY_EAGER_BLOCK;
    const int64_t block = MEMORY_BUFFER_LIMIT / size;
    return block < MEMORY_RENDEZVOUS_BLOCK ? block : MEMORY_RENDEZVOUS_BLOCK;
}

/* Mapped, not allocated: the heap would retain it. */
static int memory_alltoall(int block, int size, struct fault *fault)
{
    const size_t bytes = (size_t)block * (size_t)size;
    char *const buffers = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (buffers == MAP_FAILED)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for an alltoall of %d bytes", block);
    memset(buffers, 1, 2 * bytes);
    team_mpi(fault, MPI_Alltoall(buffers, block, MPI_BYTE, buffers + bytes, block, MPI_BYTE, MPI_COMM_WORLD),
             "MPI_Alltoall");
    munmap(buffers, 2 * bytes);
    return (int)fault->code;
}

static int memory_take_step(enum memory_step step, MPI_Comm *copy, struct fault *fault)
{
    int size = 0;
    double value = 0.0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    switch (step) {
    case MEMORY_BARRIER:
        return team_mpi(fault, MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    case MEMORY_ALLREDUCE:
        return team_mpi(fault, MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
                        "MPI_Allreduce");
    case MEMORY_ALLTOALL_EAGER:
    case MEMORY_ALLTOALL_RENDEZVOUS:
        return memory_alltoall((int)memory_block(step, size), size, fault);
    case MEMORY_COMM_DUP:
        return team_mpi(fault, MPI_Comm_dup(MPI_COMM_WORLD, copy), "MPI_Comm_dup");
    case MEMORY_BEFORE_INIT:
    case MEMORY_INIT:
    case MEMORY_STEPS:
        break;
    }
    return 0;
}

int memory_exercise(struct memory *memory, struct fault *fault)
{
    MPI_Comm copy = MPI_COMM_NULL;
    for (enum memory_step step = MEMORY_BARRIER; step < MEMORY_STEPS && fault->code == FAULT_NONE; step++) {
        /* The barrier ends the step on all processes before any sample: shared pages are divided by their users. */
        if (memory_take_step(step, &copy, fault) == 0 &&
            team_mpi(fault, MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier") == 0)
            memory_sample(memory, step);
    }
    if (copy != MPI_COMM_NULL)
        MPI_Comm_free(&copy);
    return (int)fault->code;
}

static const char *const MEMORY_STEP_NAMES[MEMORY_STEPS] = {
    "before-init", "init", "barrier", "allreduce", "alltoall-eager", "alltoall-rendezvous", "comm-dup",
};

static const char *const MEMORY_FIGURE_NAMES[MEMORY_FIGURES] = {
    "pss_bytes",    "private_bytes", "rss_bytes",  "shared_bytes",
    "locked_bytes", "pinned_bytes",  "huge_bytes", "dev_shm_bytes",
};

/* The figures of one step over all processes. */
struct memory_table {
    const struct memory *ranks;
    const struct environment *environment;
    enum memory_step step;
    double *values; /* room for one figure of every rank */
};

/* Sum, minimum, median and maximum over the processes. */
static void memory_write_processes(const struct memory_table *table, enum memory_figure figure, struct json *json)
{
    const size_t count = (size_t)table->environment->processes;
    double sum = 0.0;
    for (size_t rank = 0; rank < count; rank++) {
        table->values[rank] = (double)table->ranks[rank].samples[table->step][figure];
        sum += table->values[rank];
    }
    const double median = statistics_median(table->values, count); /* sorts */
    const bool has_value = table->values[0] >= 0.0;
    json_open(json, MEMORY_FIGURE_NAMES[figure], '{');
    json_integer_if(json, "sum", (int64_t)sum, has_value);
    json_integer_if(json, "min", (int64_t)table->values[0], has_value);
    json_integer_if(json, "median", (int64_t)median, has_value);
    json_integer_if(json, "max", (int64_t)table->values[count - 1], has_value);
    json_close(json, '}');
}

/* Sums over the processes of one host; the use of /dev/shm is one figure per host. */
static void memory_write_host(const struct memory_table *table, int lowest, struct json *json)
{
    const struct environment *const environment = table->environment;
    int processes = 0;
    double sums[MEMORY_FIGURES] = {0.0};
    bool has_value[MEMORY_FIGURES];
    for (int figure = 0; figure < MEMORY_FIGURES; figure++)
        has_value[figure] = true;
    for (int rank = lowest; rank < environment->processes; rank++) {
        if (!environment_same_host(environment, lowest, rank))
            continue;
        processes++;
        for (int figure = 0; figure < MEMORY_FIGURES; figure++) {
            const double value = (double)table->ranks[rank].samples[table->step][figure];
            has_value[figure] = has_value[figure] && value >= 0.0;
            sums[figure] = figure != MEMORY_DEV_SHM ? sums[figure] + value
                           : value > sums[figure]   ? value
                                                    : sums[figure];
        }
    }
    json_open(json, NULL, '{');
    json_text(json, "host", environment->locations[lowest].host);
    json_integer(json, "processes", processes);
    for (int figure = 0; figure < MEMORY_FIGURES; figure++)
        json_integer_if(json, MEMORY_FIGURE_NAMES[figure], (int64_t)sums[figure], has_value[figure]);
    json_close(json, '}');
}

static void memory_write_step(const struct memory_table *table, struct json *json)
{
    json_open(json, NULL, '{');
    json_text(json, "step", MEMORY_STEP_NAMES[table->step]);
    json_open(json, "processes", '{');
    for (int figure = 0; figure < MEMORY_DEV_SHM; figure++)
        memory_write_processes(table, (enum memory_figure)figure, json);
    json_close(json, '}');
    json_open(json, "hosts", '[');
    for (int rank = 0; rank < table->environment->processes; rank++)
        if (environment_is_lowest(table->environment, rank))
            memory_write_host(table, rank, json);
    json_close(json, ']');
    json_close(json, '}');
}

int memory_record(const struct memory *local, const struct team *team, const struct environment *environment,
                  bool simulated, struct json *json, struct fault *fault)
{
    const bool writes = team->rank == 0;
    const int bytes = (int)sizeof *local;
    struct memory *const ranks = writes ? calloc((size_t)team->size, sizeof *ranks) : NULL;
    double *const values = writes ? calloc((size_t)team->size, sizeof *values) : NULL;
    if (writes && (ranks == NULL || values == NULL))
        fault_set(fault, FAULT_SYSTEM, "out of memory for the memory of %d ranks", team->size);
    else
        team_gather(team, local, ranks, bytes, MPI_BYTE, fault);
    if (writes && fault->code == FAULT_NONE) {
        struct memory_table table = {ranks, environment, MEMORY_BEFORE_INIT, values};
        json_open(json, NULL, '{');
        json_text(json, "record", "memory");
        json_open(json, "steps", '[');
        for (; !simulated && table.step < MEMORY_STEPS; table.step++)
            memory_write_step(&table, json);
        json_close(json, ']');
        json_close(json, '}');
    }
    free(ranks);
    free(values);
    return (int)fault->code;
}
