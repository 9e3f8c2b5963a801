/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * meeting.h: all processes of a candle find each other, and are linked.
 *
 * Those of one node meet in a shared file in /dev/shm, which is removed as soon as all have it. Where that are not all
 * processes, the first one of each node writes a file of them to a folder that all nodes share, until the files of all
 * nodes together have every rank.
 */
#ifndef ISOCHRON_MEETING_H
#define ISOCHRON_MEETING_H

#include "base/fault.h"
#include "candle/link.h"
#include "candle/place.h"
#include "candle/roll.h"

#include <stdint.h>

struct meeting_options {
    const char *folder; /* that all nodes share; NULL: all processes are on this node */
    int64_t limit_ns;   /* of waiting for the others */
    int test_nodes;     /* > 0: as if so many nodes were there, for tests */
    double test_lost;   /* share of the datagrams that are lost, for tests */
};

struct meeting_memory;

struct meeting {
    struct place place;
    struct meeting_options options;
    char host[ROLL_HOST]; /* of this process */
    int descriptor;       /* of the shared file */
    char path[64 + ROLL_HOST];
    struct meeting_memory *memory;
    struct member *members;      /* of each rank */
    int *local;                  /* for the link: of each rank its index on this node, */
    struct datagram_peer *peers; /* and where it can be reached */
    bool first;                  /* of its node: it opened the file, and calls the roll */
    struct roll roll;
    struct link link;
};

/* Meet all others; a system fault if they do not come within the limit. To be closed in any case. */
int meeting_open(struct meeting *meeting, const struct place *place, const struct meeting_options *options,
                 struct fault *fault);

/* Return the number of hosts, and the name of one. */
int meeting_hosts(const struct meeting *meeting);
const char *meeting_host(const struct meeting *meeting, int host);

void meeting_close(struct meeting *meeting);

#endif
