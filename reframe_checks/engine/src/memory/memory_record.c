/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_record.c: the memory of all processes and hosts as a record (see memory.h). */
#include "memory/memory_record.h"

#include "machine/team_talk.h"
#include "statistics/median.h"

#include <stdlib.h>

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
    double *values; /* room for a figure of every rank */
};

static void memory_write_value(struct json *json, const char *key, double value, bool known)
{
    if (known)
        json_integer(json, key, (int64_t)value);
    else
        json_null(json, key);
}

/* Over the processes: the sum and the spread. */
static void memory_write_processes(const struct memory_table *table, enum memory_figure figure, struct json *json)
{
    const size_t count = (size_t)table->environment->processes;
    double sum = 0.0;
    for (size_t rank = 0; rank < count; rank++) {
        table->values[rank] = (double)table->ranks[rank].seen[table->step][figure];
        sum += table->values[rank];
    }
    const double median = statistics_median(table->values, count); /* sorts */
    const bool known = table->values[0] >= 0.0;
    json_open(json, MEMORY_FIGURE_NAMES[figure], '{');
    memory_write_value(json, "sum", sum, known);
    memory_write_value(json, "min", table->values[0], known);
    memory_write_value(json, "median", median, known);
    memory_write_value(json, "max", table->values[count - 1], known);
    json_close(json, '}');
}

/* Over the processes of one host; what is used in /dev/shm is the host's already. */
static void memory_write_host(const struct memory_table *table, int lowest, struct json *json)
{
    const struct environment *const environment = table->environment;
    int processes = 0;
    double sums[MEMORY_FIGURES] = {0.0};
    bool known[MEMORY_FIGURES];
    for (int figure = 0; figure < MEMORY_FIGURES; figure++)
        known[figure] = true;
    for (int rank = lowest; rank < environment->processes; rank++) {
        if (!environment_same_host(environment, lowest, rank))
            continue;
        processes++;
        for (int figure = 0; figure < MEMORY_FIGURES; figure++) {
            const double value = (double)table->ranks[rank].seen[table->step][figure];
            known[figure] = known[figure] && value >= 0.0;
            sums[figure] = figure != MEMORY_DEV_SHM ? sums[figure] + value
                           : value > sums[figure]   ? value
                                                    : sums[figure];
        }
    }
    json_open(json, NULL, '{');
    json_text(json, "host", environment->places[lowest].host);
    json_integer(json, "processes", processes);
    for (int figure = 0; figure < MEMORY_FIGURES; figure++)
        memory_write_value(json, MEMORY_FIGURE_NAMES[figure], sums[figure], known[figure]);
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

int memory_record(const struct memory *own, const struct team *team, const struct environment *environment,
                  bool simulated, struct json *json, struct fault *fault)
{
    const bool writes = team->rank == 0;
    const int bytes = (int)sizeof *own;
    struct memory *const ranks = writes ? calloc((size_t)team->size, sizeof *ranks) : NULL;
    double *const values = writes ? calloc((size_t)team->size, sizeof *values) : NULL;
    if (writes && (ranks == NULL || values == NULL))
        fault_set(fault, FAULT_SYSTEM, "out of memory for the memory of %d ranks", team->size);
    else
        team_gather(team, own, ranks, bytes, MPI_BYTE, fault);
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
