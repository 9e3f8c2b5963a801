/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * environment.h: the actual location of the processes: hosts, clock sources, processors; and the MPI library in use.
 */
#ifndef ISOCHRON_ENVIRONMENT_H
#define ISOCHRON_ENVIRONMENT_H

#include "base/json.h"
#include "machine/team.h"

#include <stdbool.h>

/* The location of one process. */
struct location {
    char host[128];
    char clock_source[48];
    char cpus[336]; /* "0-3,8": the affinity in force */
};

/* On rank 0, locations has one entry per rank; elsewhere it is NULL. All processes have the counts. */
struct environment {
    struct location *locations;
    int processes;
    int hosts;
    MPI_Comm host; /* the processes of this host; MPI_COMM_NULL before environment_gather */
    int partner;   /* of the lowest rank of a host: the lowest rank of the host that it is paired with; otherwise -1 */
};

/* Collective: fill the environment. */
int environment_gather(const struct team *team, struct environment *environment, struct fault *fault);

/* Rank 0: return true if two ranks share a host; if a rank is the lowest of its host. */
bool environment_same_host(const struct environment *environment, int rank, int other_rank);
bool environment_is_lowest(const struct environment *environment, int rank);

void environment_free(struct environment *environment);

/* Rank 0: write the members hosts and bindings. */
void environment_write(const struct environment *environment, struct json *json);

/* Write the name of the kernel's clock source; "unknown" if it cannot be read. */
void clock_source_read(char *name, int capacity);

/* Write the first line of the MPI library's version without control characters. May be called before MPI_Init. */
void environment_library(char *text, size_t capacity);

/* Return true if the MPI library is a simulator. */
bool environment_is_simulated(void);

/*
 * Return the number of processes that a launcher has started together, from the variables of all launchers in
 * sites/launchers; 1 if none is set. May be called before MPI_Init.
 */
int environment_launched(void);

#endif
