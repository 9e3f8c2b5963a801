/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * network.h: a round trip between pairs of hosts, by datagrams of our own (UDP), or else by the MPI library.
 *
 * Hosts make pairs in the order of their lowest ranks, and these processes read. The library's own ping-pong is marked
 * as such: it may be looked at, but explains nothing about the library.
 */
#ifndef ISOCHRON_NETWORK_H
#define ISOCHRON_NETWORK_H

#include "instruments/round_trip.h"
#include "machine/environment.h"
#include "machine/team.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum network_way { NETWORK_NONE, NETWORK_UDP, NETWORK_MPI };

/* What the ways are called; "" for none. */
extern const char *const NETWORK_WAYS[];

/* Counts are known to all processes. */
struct network {
    enum network_way way;
    int opposite;           /* the rank at the other end; -1: this process reads nothing */
    bool joined;            /* datagrams have passed between this pair */
    struct round_trip trip; /* of this process */
    int64_t all;            /* pairs of hosts */
    int64_t pairs;          /* that are read */
    int64_t homeless;       /* that lack an address */
    int64_t lost;           /* that were given up, known in the end */
};

/* No network, and nothing to be closed. */
struct network network_none(void);

/*
 * Collective: the pairs find each other, or agree that they do not: within a tenth of a second. blocked: for tests, the
 * network lets no datagram pass.
 */
int network_open(struct network *network, const struct team *team, const struct environment *environment, bool blocked,
                 struct fault *fault);

/* Collective for the pairs, with the same number, higher in each reading: µs there and back, NaN where there is none.
 */
int network_read(struct network *network, const struct team *team, uint64_t number, bool blocked, double *time_us,
                 struct fault *fault);

/* Collective: counts the pairs that were given up. */
int network_end(struct network *network, const struct team *team, struct fault *fault);

/* Why not all pairs of hosts, or none, are read by datagrams; "" where they are. */
void network_why_not(const struct network *network, char *text, size_t capacity);

void network_close(struct network *network);

#endif
