/* SPDX-License-Identifier: BSD-3-Clause */
/* environment.c: locations of the processes, and the MPI library (see environment.h). */
#include "machine/environment.h"

#include "base/affinity.h"
#include "machine/team.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void clock_source_read(char *name, int capacity)
{
    snprintf(name, (size_t)capacity, "unknown");
    FILE *const file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    if (file == NULL)
        return;
    if (fgets(name, capacity, file) != NULL)
        name[strcspn(name, "\n")] = '\0';
    fclose(file);
}

static bool environment_same(const struct location *a, const struct location *b, bool with_cpus)
{
    return strcmp(a->host, b->host) == 0 && (!with_cpus || strcmp(a->cpus, b->cpus) == 0);
}

/* Create the communicator of this host, each host its own: at 8192 ranks a simulator takes minutes for a split. */
static int environment_join(const struct team *team, int *lowest, struct environment *environment, struct fault *fault)
{
    const int local = lowest[team->rank];
    int count = 0;
    for (int rank = 0; rank < team->size; rank++)
        if (lowest[rank] == local)
            lowest[count++] = rank; /* never ahead of the entries that are still to be read */
    return team_join(team->comm, lowest, count, &environment->host, fault);
}

/* Hosts are paired in the order of their lowest ranks, 0-1, 2-3, ...: return that of the other host, or -1. */
static int environment_partner(const struct team *team, const int *lowest)
{
    int waiting = -1;
    for (int rank = 0; rank < team->size; rank++) {
        if (lowest[rank] != rank)
            continue;
        if (waiting >= 0 && rank == team->rank)
            return waiting;
        if (waiting >= 0 && waiting == team->rank)
            return rank;
        waiting = waiting < 0 ? rank : -1;
    }
    return -1;
}

/* Distinguish hosts by their lowest rank, and create one communicator for each. */
static int environment_split(const struct team *team, struct environment *environment, struct fault *fault)
{
    int *const lowest = calloc((size_t)team->size, sizeof *lowest);
    if (lowest == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the hosts of %d ranks", team->size);
    for (int rank = 0; team->rank == 0 && rank < team->size; rank++)
        while (!environment_same(&environment->locations[lowest[rank]], &environment->locations[rank], false))
            lowest[rank]++;
    if (team_broadcast(team, lowest, team->size, MPI_INT, fault) == 0) {
        environment->partner = environment_partner(team, lowest);
        environment_join(team, lowest, environment, fault);
    }
    free(lowest);
    return (int)fault->code;
}

/* Return true if no lower rank has the same location. */
static bool environment_is_first(const struct environment *environment, int rank, bool with_cpus)
{
    for (int earlier = 0; earlier < rank; earlier++)
        if (environment_same(&environment->locations[earlier], &environment->locations[rank], with_cpus))
            return false;
    return true;
}

int environment_gather(const struct team *team, struct environment *environment, struct fault *fault)
{
    struct location local = {.host = ""};
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    MPI_Get_processor_name(name, &length);
    snprintf(local.host, sizeof local.host, "%.127s", name);
    clock_source_read(local.clock_source, sizeof local.clock_source);
    affinity_text(local.cpus, sizeof local.cpus);

    *environment = (struct environment){.processes = team->size, .host = MPI_COMM_NULL, .partner = -1};
    if (team->rank == 0)
        environment->locations = calloc((size_t)team->size, sizeof local);
    if (team->rank == 0 && environment->locations == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the places of %d ranks", team->size);
    const int bytes = (int)sizeof local;
    if (team_gather(team, &local, environment->locations, bytes, MPI_BYTE, fault))
        return (int)fault->code;
    for (int rank = 0; team->rank == 0 && rank < team->size; rank++)
        environment->hosts += environment_is_first(environment, rank, false);
    if (team_broadcast(team, &environment->hosts, 1, MPI_INT, fault))
        return (int)fault->code;
    return environment_split(team, environment, fault);
}

bool environment_same_host(const struct environment *environment, int rank, int other_rank)
{
    return environment_same(&environment->locations[rank], &environment->locations[other_rank], false);
}

bool environment_is_lowest(const struct environment *environment, int rank)
{
    return environment_is_first(environment, rank, false);
}

void environment_free(struct environment *environment)
{
    free(environment->locations);
    if (environment->processes > 0 && environment->host != MPI_COMM_NULL)
        MPI_Comm_free(&environment->host);
    *environment = (struct environment){0};
}

/* Write the ranks with the same location as this one. */
static void environment_write_ranks(const struct environment *environment, int rank, bool with_cpus, struct json *json)
{
    char text[4096] = "";
    for (int r = rank; r < environment->processes; r++) {
        if (!environment_same(&environment->locations[r], &environment->locations[rank], with_cpus))
            continue;
        const int first = r;
        while (r + 1 < environment->processes &&
               environment_same(&environment->locations[r + 1], &environment->locations[rank], with_cpus))
            r++;
        affinity_append_range(text, sizeof text, first, r);
    }
    json_text(json, "ranks", text);
}

void environment_write(const struct environment *environment, struct json *json)
{
    json_open(json, "hosts", '[');
    for (int rank = 0; rank < environment->processes; rank++) {
        if (!environment_is_first(environment, rank, false))
            continue;
        json_open(json, NULL, '{');
        json_text(json, "name", environment->locations[rank].host);
        environment_write_ranks(environment, rank, false, json);
        json_text(json, "clock_source", environment->locations[rank].clock_source);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "bindings", '[');
    for (int rank = 0; rank < environment->processes; rank++) {
        if (!environment_is_first(environment, rank, true))
            continue;
        json_open(json, NULL, '{');
        json_text(json, "host", environment->locations[rank].host);
        json_text(json, "cpus", environment->locations[rank].cpus);
        environment_write_ranks(environment, rank, true, json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void environment_library(char *text, size_t capacity)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\r\n")] = '\0';
    size_t used = 0;
    for (const char *c = version; *c != '\0' && used + 1 < capacity; c++)
        text[used++] = *c == '\t' ? ' ' : *c;
    text[used] = '\0';
}

bool environment_is_simulated(void)
{
    char text[64];
    environment_library(text, sizeof text);
    return strncmp(text, "SMPI", 4) == 0;
}

int environment_launched(void)
{
    static const struct {
        const char *rank, *size;
    } names[] = {
#include "rank_variables.def"
    };
    long count = 1;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *const text = names[i].size == NULL ? NULL : getenv(names[i].size);
        const long size = text == NULL ? 0 : strtol(text, NULL, 10);
        if (size > count && size <= INT_MAX)
            count = size;
    }
    return (int)count;
}
