/* SPDX-License-Identifier: BSD-3-Clause */
/* environment.h: where the processes really are: hosts, clock sources, processors; and which MPI library this is. */
#ifndef ISOCHRON_ENVIRONMENT_H
#define ISOCHRON_ENVIRONMENT_H

#include "base/json.h"
#include "machine/team.h"

#include <stdbool.h>

/* One process. */
struct place {
    char host[128];
    char clock_source[48];
    char cpus[336]; /* "0-3,8", the affinity that the kernel applies */
};

/* On rank 0 places has one entry a rank; elsewhere it is NULL. The counts are known everywhere. */
struct environment {
    struct place *places;
    int processes;
    int hosts;
    MPI_Comm host; /* the processes of this host, MPI_COMM_NULL before they are gathered */
    int opposite;  /* of the lowest rank of a host: that of the host with which it makes a pair; else, and alone, -1 */
};

/* Collective. */
int environment_gather(const struct team *team, struct environment *environment, struct fault *fault);

/* On rank 0: whether two ranks share a host; and whether none below a rank is on its host. */
bool environment_same_host(const struct environment *environment, int one, int other);
bool environment_is_lowest(const struct environment *environment, int rank);

void environment_free(struct environment *environment);

/* Writes the members hosts and bindings; on rank 0. */
void environment_write(const struct environment *environment, struct json *json);

/* The first line of the MPI library's version without control characters. May be called before MPI_Init. */
void environment_library(char *text, size_t capacity);

/* Whether the MPI library is a simulator. */
bool environment_is_simulated(void);

/*
 * How many processes a launcher has started together, by what Open MPI's, Hydra and those made of it, and Slurm's tell
 * each of them; 1 where none tells. May be called before MPI_Init.
 */
int environment_launched(void);

#endif
