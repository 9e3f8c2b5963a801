/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rendezvous.h: all processes of a candle find each other, and are linked.
 *
 * Those of one node meet in a shared file in /dev/shm, which is removed as soon as all have it. Where that are not all
 * processes, the first one of each node writes a file of them to a folder that all nodes share, until the files of all
 * nodes together have every rank.
 */
#ifndef ISOCHRON_RENDEZVOUS_H
#define ISOCHRON_RENDEZVOUS_H

#include "base/fault.h"
#include "candle/link.h"
#include "candle/place.h"
#include "candle/roster.h"

#include <stdint.h>

struct rendezvous_options {
    const char *folder; /* that all nodes share; NULL: all processes are on this node */
    int64_t limit_ns;   /* of waiting for the others */
    int test_nodes;     /* > 0: as if so many nodes were there, for tests */
    double test_lost;   /* share of the datagrams that are lost, for tests */
};

struct rendezvous_memory;

struct rendezvous {
    struct place place;
    struct rendezvous_options options;
    char host[ROSTER_HOST]; /* of this process */
    int descriptor;         /* of the shared file */
    char path[64 + ROSTER_HOST];
    struct rendezvous_memory *memory;
    struct member *members;      /* of each rank */
    int *local;                  /* for the link: of each rank its index on this node, */
    struct datagram_peer *peers; /* and where it can be reached */
    bool first;                  /* of its node: it opened the file, and gathers the others */
    struct roster roster;
    struct link link;
};

/* Meet all others; a system fault if they do not come within the limit. To be closed in any case. */
int rendezvous_open(struct rendezvous *rendezvous, const struct place *place, const struct rendezvous_options *options,
                    struct fault *fault);

/* Return the name of a host. */
const char *rendezvous_host(const struct rendezvous *rendezvous, int host);

void rendezvous_close(struct rendezvous *rendezvous);

#endif
