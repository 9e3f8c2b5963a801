/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * datagrams.h: messages between processes of different nodes by UDP: a stream of numbered pieces to each peer.
 *
 * A piece is retransmitted until it is acknowledged, together with those after it, of which the receiver discards what
 * is not the next one (go-back-N). Every datagram has the number of pieces that its sender received, and of those that
 * it took out of its buffer, which limits what may be sent to it. A datagram with another key is discarded.
 */
#ifndef ISOCHRON_DATAGRAMS_H
#define ISOCHRON_DATAGRAMS_H

#include "base/fault.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DATAGRAM_PIECE = 1400,  /* bytes of data in a datagram, below the packet size of every network */
    DATAGRAM_WINDOW = 64,   /* pieces that a receiver buffers */
    DATAGRAM_ADDRESSES = 4, /* of a host */
};

/* Where a process can be reached; an address of 0 is none. */
struct datagram_peer {
    uint32_t addresses[DATAGRAM_ADDRESSES]; /* of its host, as in struct in_addr, the fastest first */
    uint16_t port;                          /* as in struct sockaddr_in */
};

struct datagram_stream;

struct datagrams {
    int socket; /* below 0: not open */
    int rank, size;
    uint64_t key;
    const struct datagram_peer *peers; /* of each rank */
    struct datagram_stream **streams;  /* of each rank; NULL: not used so far */
    int *used;                         /* the ranks with a stream, used_count of them */
    int used_count;
    double lost; /* share of the datagrams that are not sent, for tests */
    uint64_t random;
};

/* Open a socket and set *port. */
int datagrams_open(struct datagrams *datagrams, int rank, int size, uint64_t key, double lost, uint16_t *port,
                   struct fault *fault);

/* From now on others can be reached: peers of each rank, which live as long as the datagrams. */
int datagrams_connect(struct datagrams *datagrams, const struct datagram_peer *peers, struct fault *fault);

/* Send a piece of at most DATAGRAM_PIECE bytes; false if the receiver has no room for it so far, or memory is short. */
bool datagrams_put(struct datagrams *datagrams, int to, const char *data, size_t bytes);

/* Receive the next piece, of a size that both sides know; false if there is none yet. */
bool datagrams_get(struct datagrams *datagrams, int from, char *data, size_t bytes);

/* Receive what has arrived, acknowledge it, and retransmit what has not been acknowledged for too long. */
void datagrams_progress(struct datagrams *datagrams);

/* Return true if all pieces that were sent are acknowledged. */
bool datagrams_acknowledged(const struct datagrams *datagrams);

void datagrams_close(struct datagrams *datagrams);

#endif
