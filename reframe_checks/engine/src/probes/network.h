/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * network.h: a probe: round trips between pairs of hosts, by the engine's datagrams (UDP), otherwise by the MPI
 * library.
 *
 * Hosts are paired in the order of their lowest ranks, and these processes read. Readings by the MPI library are marked
 * as such: they may be displayed, but explain nothing about the library.
 */
#ifndef ISOCHRON_NETWORK_H
#define ISOCHRON_NETWORK_H

#include "instruments/round_trip.h"
#include "machine/environment.h"
#include "machine/team.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum network_method { NETWORK_NONE, NETWORK_UDP, NETWORK_MPI };

/* The names of the methods; "" for none. */
extern const char *const NETWORK_METHODS[];

/* All processes have the counts. */
struct network {
    enum network_method method;
    int partner;             /* the rank at the other end; -1: this process does not read */
    bool joined;             /* datagrams have passed between this pair */
    struct round_trip trip;  /* of this process */
    int64_t all_pairs;       /* pairs of hosts */
    int64_t pairs;           /* pairs that are read */
    int64_t without_address; /* pairs without an address */
    int64_t lost;            /* pairs that were abandoned; set at the end */
};

/* Return a network without readings and without resources. */
struct network network_none(void);

/*
 * Collective: the pairs find an address, or agree that there is none, within a tenth of a second. blocked: the network
 * passes no datagram, for tests.
 */
int network_open(struct network *network, const struct team *team, const struct environment *environment, bool blocked,
                 struct fault *fault);

/* Collective over the pairs: set *time_us to a round trip, NaN without one. The number increases with each reading. */
int network_read(struct network *network, const struct team *team, uint64_t number, bool blocked, double *time_us,
                 struct fault *fault);

/* Collective: count the abandoned pairs. */
int network_end(struct network *network, const struct team *team, struct fault *fault);

/* Write why not all pairs of hosts are read by datagrams; "" if they are. */
void network_explain(const struct network *network, char *text, size_t capacity);

void network_close(struct network *network);

#endif
