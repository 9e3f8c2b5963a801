/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * round_trip.h: how long a datagram (UDP) takes from one host to another and back.
 *
 * The second end opens sockets, each on one address of its host, and offers them by other means; the first greets all
 * of them, and both keep the one that answered. From then on their sockets are connected: the kernel lets nobody else
 * in. What lacks the key of the offer, a random number, is not ours and is thrown away. Nobody waits for long: who
 * hears nothing in time gives the reading up, and after some in a row the whole matter.
 */
#ifndef ISOCHRON_ROUND_TRIP_H
#define ISOCHRON_ROUND_TRIP_H

#include "instruments/addresses.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    ROUND_TRIP_PATIENCE_MS = 10, /* with one datagram */
    ROUND_TRIP_ROUNDS = 8,       /* of greetings */
    ROUND_TRIP_FAILURES = 8,     /* readings in a row */
};

/* What the second end tells the first: plain bytes. */
struct round_trip_offer {
    uint64_t key;
    uint64_t count;
    struct sockaddr_in places[ADDRESSES_MOST];
};

struct round_trip {
    int sockets[ADDRESSES_MOST];              /* before one is kept; below 0: none */
    struct sockaddr_in heard[ADDRESSES_MOST]; /* at the second end: who greeted there */
    int socket;                               /* the one that is kept; below 0: none */
    uint64_t key;
    bool first;
    bool mute;    /* sends nothing: a network that lets nothing pass, for tests */
    int failures; /* readings in a row that came to nothing */
};

/* One end, without a socket. */
struct round_trip round_trip_make(bool first);

/* The second end: opens sockets on these addresses of its host, and says where they are. */
void round_trip_listen(struct round_trip *trip, const struct in_addr *addresses, size_t count,
                       struct round_trip_offer *offer);

/* The second end: answers greetings, and waits for them at most so long. */
void round_trip_answer(struct round_trip *trip, int wait_ms);

/* The first end: the lowest number of the places that answer; -1: none does. */
int round_trip_greet(struct round_trip *trip, const struct round_trip_offer *offer);

/* Both ends: keep the socket of that place, connected to the other end, and close the others; -1: close all. */
void round_trip_keep(struct round_trip *trip, int place);

/*
 * Both at about the same time, with the same number, higher in each reading: at the first end µs for a datagram there
 * and back, the median of a few; NaN where it took longer than the patience. At the second end NaN.
 */
double round_trip_read(struct round_trip *trip, uint64_t number);

void round_trip_close(struct round_trip *trip);

#endif
