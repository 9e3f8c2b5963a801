/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * messages.h: groups of processes, partners in a group, and calls, for operations that exchange single messages.
 *
 * Groups have --group-size consecutive ranks; processes that are left over are idle. The first group acts alone; in the
 * form multi-... all groups act at the same time.
 */
#ifndef ISOCHRON_MESSAGES_H
#define ISOCHRON_MESSAGES_H

#include "call/call.h"
#include "operation/operation.h"

enum { MESSAGES_TAG = 7 };

/* Return the tag of the messages of a call; the next one is that of its acknowledgements. Every thread has two. */
static inline int messages_tag(const struct call *call)
{
    return MESSAGES_TAG + 2 * call->thread;
}

/* Partners, for the peers function of an operation. */
int messages_pair_peers(const struct call *call, bool sending, int *ranks);      /* the first two of a group */
int messages_one_way_peers(const struct call *call, bool sending, int *ranks);   /* the first sends to the second */
int messages_chain_peers(const struct call *call, bool sending, int *ranks);     /* each sends to the next */
int messages_neighbour_peers(const struct call *call, bool sending, int *ranks); /* the previous and the next */
int messages_star_peers(const struct call *call, bool sending, int *ranks);      /* the first with all others */
int messages_complete_peers(const struct call *call, bool sending, int *ranks);  /* all others */
int messages_half_peers(const struct call *call, bool sending,
                        int *ranks); /* one of the first half, one of the second */

/* One message of block i. */
int messages_send(struct call *call, int i);
int messages_recv(struct call *call, int i);
int messages_isend(struct call *call, int i, MPI_Request *request);
int messages_irecv(struct call *call, int i, MPI_Request *request);

/* The first process sends and then receives, the second receives and then sends. */
int messages_there_and_back(struct call *call);

/* MPI_Sendrecv of one block in each direction. */
int messages_sendrecv(struct call *call);

/* All blocks at the same time, in both directions. */
int messages_exchange(struct call *call);

/*
 * Receive and send all blocks of a burst at the same time, and complete them. The blocks are of the same size; no time
 * passes between two calls but that of the loop.
 */
int messages_burst(struct call *call);

/* Persistent requests for all blocks; for an operation's setup. */
int messages_make_persistent(struct call *call);
int messages_start_persistent(struct call *call);

#endif
