/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * round_trip.h: an instrument: the time of a datagram (UDP) from one host to another and back.
 *
 * The second end opens a socket on each address of its host and offers them by other means; the first end greets all of
 * them, and both select one that answered. From then on their sockets are connected, so that the kernel rejects others.
 * A datagram without the key of the offer, a random number, is discarded. No process blocks: without an answer in time
 * there is no reading, and after several such readings in a row the socket is closed.
 */
#ifndef ISOCHRON_ROUND_TRIP_H
#define ISOCHRON_ROUND_TRIP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_ADDRESSES = 4 };

/*
 * List the IPv4 addresses of the interfaces that are up, except loopback; those of the fastest links first
 * (/sys/class/net/NAME/speed), then in the kernel's order. Return their number, at most MAX_ADDRESSES.
 */
size_t addresses_list(struct in_addr addresses[MAX_ADDRESSES]);

enum {
    ROUND_TRIP_PATIENCE_MS = 10, /* for one datagram */
    ROUND_TRIP_ROUNDS = 8,       /* of greetings */
    ROUND_TRIP_FAILURES = 8,     /* readings in a row, after which the socket is closed */
};

/* What the second end sends to the first, as plain bytes. */
struct round_trip_offer {
    uint64_t key;
    uint64_t count;
    struct sockaddr_in addresses[MAX_ADDRESSES];
};

struct round_trip {
    int sockets[MAX_ADDRESSES];                   /* before one is selected; below 0: none */
    struct sockaddr_in greeted_by[MAX_ADDRESSES]; /* at the second end: the sender of the greeting on each socket */
    int socket;                                   /* the selected one; below 0: none */
    uint64_t key;
    bool first;
    bool silent;  /* send nothing: a network that passes no datagram, for tests */
    int failures; /* readings in a row without a result */
};

/* Return one end without a socket. */
struct round_trip round_trip_make(bool first);

/* Second end: open sockets on these addresses of its host and fill the offer. */
void round_trip_listen(struct round_trip *trip, const struct in_addr *addresses, size_t count,
                       struct round_trip_offer *offer);

/* Second end: answer greetings, waiting at most wait_ms for them. */
void round_trip_answer(struct round_trip *trip, int wait_ms);

/* First end: return the lowest index of the offered addresses that answer; -1: none does. */
int round_trip_greet(struct round_trip *trip, const struct round_trip_offer *offer);

/* Both ends: connect the socket of that index to the other end and close all others; -1: close all. */
void round_trip_select(struct round_trip *trip, int index);

/*
 * Return the µs of a round trip at the first end, the median of 5; NaN if one exceeded the patience, and at the second
 * end. Both call it at about the same time, with the same number, which increases from reading to reading.
 */
double round_trip_read(struct round_trip *trip, uint64_t number);

void round_trip_close(struct round_trip *trip);

#endif
