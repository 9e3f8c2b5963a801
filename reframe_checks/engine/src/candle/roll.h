/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roll.h: which processes of a candle are there: those of this node, and by the files of other nodes also theirs.
 *
 * A file candle-KEY.HOST in a folder that all nodes share has a line for each process of that node: its rank, port,
 * addresses and cores. It is renamed to that name, and written again at each look, which makes a network file system
 * read its folder again.
 */
#ifndef ISOCHRON_ROLL_H
#define ISOCHRON_ROLL_H

#include "base/fault.h"
#include "candle/datagrams.h"
#include "candle/place.h"

#include <stdbool.h>
#include <stdint.h>

enum { ROLL_HOSTS = 4096, ROLL_HOST = 128, ROLL_CPUS = 256, ROLL_PATH = 4096 };

/* A process as all others know it. */
struct member {
    _Atomic uint32_t present;
    int32_t host; /* index of the host; 0: this node */
    struct datagram_peer peer;
    char cpus[ROLL_CPUS]; /* on which it may run, as "0-3,8" */
};

struct roll {
    struct place place;
    const char *folder; /* NULL: all processes are on this node */
    char (*hosts)[ROLL_HOST];
    int host_count;
    struct member *members; /* of each rank */
    char file[ROLL_PATH];   /* of this node; empty: not written */
    int written;            /* processes in it */
    int64_t looked_ns;
};

/* Begin with this host alone. hosts: room for ROLL_HOSTS names. */
void roll_open(struct roll *roll, const struct place *place, const char *folder, const char *host,
               char (*hosts)[ROLL_HOST], struct member *members);

/* Return true if all members are there; those of other nodes have been entered. A system fault without a folder. */
bool roll_call(struct roll *roll, struct fault *fault);

/* Set the fault that tells who is missing. */
int roll_explain(const struct roll *roll, int64_t limit_ns, struct fault *fault);

/* Remove the file of this node, which all others have read. */
void roll_close(struct roll *roll);

#endif
