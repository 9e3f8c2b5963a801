/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roster.h: which processes of a candle are there: those of this node, and by the files of other nodes also theirs.
 *
 * A file candle-KEY.HOST in a folder that all nodes share has a line for each process of that node: its rank, port,
 * addresses and cores. It is renamed to that name, and written again before each reading, which makes a network file
 * system read its folder again.
 */
#ifndef ISOCHRON_ROSTER_H
#define ISOCHRON_ROSTER_H

#include "base/fault.h"
#include "candle/datagrams.h"
#include "candle/place.h"

#include <stdbool.h>
#include <stdint.h>

enum { ROSTER_HOSTS = 4096, ROSTER_HOST = 128, ROSTER_CPUS = 256, ROSTER_PATH = 4096 };

/* A process as all others know it. */
struct member {
    _Atomic uint32_t present;
    int32_t host; /* index of the host; 0: this node */
    struct datagram_peer peer;
    char cpus[ROSTER_CPUS]; /* on which it may run, as "0-3,8" */
};

struct roster {
    struct place place;
    const char *folder; /* NULL: all processes are on this node */
    const char *host;   /* this node; not in shared memory, as all else is */
    char (*hosts)[ROSTER_HOST];
    int host_count;
    struct member *members; /* of each rank */
    char file[ROSTER_PATH]; /* of this node; empty: not written */
    int written;            /* processes in it */
    int64_t read_ns;
};

/* Begin with this host alone, whose name must remain. hosts: room for ROSTER_HOSTS names. */
void roster_open(struct roster *roster, const struct place *place, const char *folder, const char *host,
                 char (*hosts)[ROSTER_HOST], struct member *members);

/* Return true if all members are there; those of other nodes have been entered. A system fault without a folder. */
bool roster_update(struct roster *roster, struct fault *fault);

/* Set the fault, which names a missing rank. */
int roster_explain(const struct roster *roster, int64_t limit_ns, struct fault *fault);

/* Remove the file of this node, which all others have read. */
void roster_close(struct roster *roster);

#endif
