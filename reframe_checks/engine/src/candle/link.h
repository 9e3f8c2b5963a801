/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * link.h: messages between all processes of a candle: through lanes on one node, by datagrams between nodes.
 *
 * Waiting spins; with more processes than cores it gives up the core. If a message does not come within the limit the
 * link fails: its fault is set, and all later calls return at once, so that only who ends a measurement asks for it.
 */
#ifndef ISOCHRON_LINK_H
#define ISOCHRON_LINK_H

#include "base/fault.h"
#include "candle/datagrams.h"
#include "candle/lanes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINK_NOBODY = -1 };

struct link {
    int rank, size;
    const int *local; /* of each rank: its index on this node; LINK_NOBODY: on another node */
    bool remote;      /* there are other nodes */
    bool crowded;     /* more processes than cores */
    int64_t limit_ns; /* of waiting for a message */
    struct lanes lanes;
    struct datagrams datagrams;
    struct fault fault;
};

/* Return the rank that is so many after this one, from the last to the first. */
static inline int link_shifted(const struct link *link, int shift)
{
    return (link->rank + shift + link->size) % link->size;
}

/*
 * Send to one process and receive from another at the same time; LINK_NOBODY: do not. A message of 0 bytes is a
 * signal. All messages of a pair arrive in the order in which they were sent.
 */
void link_exchange(struct link *link, int to, const void *sent, size_t sent_bytes, int from, void *received,
                   size_t received_bytes);

void link_send(struct link *link, int to, const void *data, size_t bytes);
void link_receive(struct link *link, int from, void *data, size_t bytes);

/*
 * Before this process sleeps or ends: wait until others have what it sent. Not for ever, since the acknowledgement of
 * one that sleeps already may be lost.
 */
void link_flush(struct link *link);

#endif
