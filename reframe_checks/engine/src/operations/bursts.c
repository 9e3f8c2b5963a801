/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bursts.c: --burst messages to each peer in flight at the same time, for bandwidth and message rate.
 *
 * A process posts all its receives, starts all its sends, and waits for all. One way, the receiver then acknowledges
 * the burst by an empty message, which the sender awaits, as osu_bw and osu_mbw_mr do. Every message has memory of its
 * own. The bandwidth is that of all messages together, whoever sends them.
 */
#include "call/messages.h"

/* One message to each process that has sent a burst, one from each that was sent one. */
static int burst_acknowledge(struct call *call)
{
    const int senders = call->received.blocks / call->burst, receivers = call->sent.blocks / call->burst;
    const int tag = messages_tag(call) + 1;
    int result = MPI_SUCCESS;
    for (int i = 0; i < senders && result == MPI_SUCCESS; i++)
        result = MPI_Send(NULL, 0, MPI_BYTE, call->received.peers[i], tag, call->comm);
    for (int i = 0; i < receivers && result == MPI_SUCCESS; i++)
        result = MPI_Recv(NULL, 0, MPI_BYTE, call->sent.peers[i], tag, call->comm, MPI_STATUS_IGNORE);
    return result;
}

static int burst_one_way(struct call *call)
{
    const int result = messages_burst(call);
    return result != MPI_SUCCESS ? result : burst_acknowledge(call);
}

#define BURST(ranks) .group = "bursts", OPERATION_AMONG(ranks), .bursts = true, .moved = 1

/* The first of a group sends to the second, as osu_bw. */
const struct operation operation_burst = {
    .bytes_means = "each message of the burst that one process sends to another",
    .shape = OPERATION_VECTOR,
    BURST(messages_one_way_peers),
    .pairs = true,
    .execute = burst_one_way,
};

/* Both at the same time, as osu_bibw: a process that has received all has no need of an acknowledgement. */
const struct operation operation_burst_both_ways = {
    .bytes_means = "each message of the bursts that two processes send to each other",
    .shape = OPERATION_VECTOR,
    BURST(messages_pair_peers),
    .pairs = true,
    .execute = messages_burst,
};

/* Return the peers of a process if it is before all of them, or after them; 0 otherwise. */
static int burst_side(const struct call *call, bool before, int peers, const int *ranks)
{
    return peers > 0 && (ranks[0] > call->rank) == before ? peers : 0;
}

static int burst_pairs_peers(const struct call *call, bool sending, int *ranks)
{
    return burst_side(call, sending, messages_half_peers(call, sending, ranks), ranks);
}

/* Each process of the first half sends to one of the second, as osu_mbw_mr and Uniband of IMB. */
const struct operation operation_burst_pairs = {
    .bytes_means = "each message of the bursts that each process of the first half sends to one of the second",
    .shape = OPERATION_VECTOR,
    BURST(burst_pairs_peers),
    .execute = burst_one_way,
};

/* Both at the same time, as Biband of IMB. */
const struct operation operation_burst_pairs_both_ways = {
    .bytes_means = "each message of the bursts that pairs of the first and the second half send to each other",
    .shape = OPERATION_VECTOR,
    BURST(messages_half_peers),
    .execute = messages_burst,
};

static int fan_in_peers(const struct call *call, bool sending, int *ranks)
{
    return burst_side(call, !sending, messages_star_peers(call, sending, ranks), ranks);
}

static int fan_out_peers(const struct call *call, bool sending, int *ranks)
{
    return burst_side(call, sending, messages_star_peers(call, sending, ranks), ranks);
}

const struct operation operation_fan_in = {
    .bytes_means = "each message of the bursts that all others send to the first process",
    .shape = OPERATION_BLOCKS,
    BURST(fan_in_peers),
    .execute = burst_one_way,
};

/* Message by message to each of the others in turn. */
const struct operation operation_fan_out = {
    .bytes_means = "each message of the bursts that the first process sends to all others",
    .shape = OPERATION_BLOCKS,
    BURST(fan_out_peers),
    .execute = burst_one_way,
};
