/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topologies.c: istar, iring and ichaos: all channels of a topology both ways at once (Andreev, Voevodin, 1997-2003).
 *
 * star: the first process with each other one; ring: each with the next; chaos: each with each. The rate of a channel
 * is 2 L / T.
 */
#include "call/messages.h"

const struct operation operation_istar = {
    .name = "istar",
    .group = "topologies",
    .bytes_means = "the message that each channel carries each way",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_star_peers,
    .moved = 2,
    .plain_sends = true,
    .run = messages_exchange,
};

const struct operation operation_iring = {
    .name = "iring",
    .group = "topologies",
    .bytes_means = "the message that each channel carries each way",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_neighbour_peers,
    .moved = 2,
    .plain_sends = true,
    .run = messages_exchange,
};

const struct operation operation_ichaos = {
    .name = "ichaos",
    .group = "topologies",
    .bytes_means = "the message that each channel carries each way",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_complete_peers,
    .moved = 2,
    .plain_sends = true,
    .run = messages_exchange,
};
