/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ping_pong.c: a message there and back, as PingPong of PMB and IMB.
 *
 * The run is both ways: a message takes half of it, and the bandwidth is bytes over that half.
 */
#include "call/messages.h"

const struct operation operation_ping_pong = {
    .name = "ping-pong",
    .group = "point-to-point",
    .bytes_means = "the message that goes there and back",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_pair_peers,
    .pairs = true,
    .multi = true,
    .moved = 2,
    .plain_sends = true,
    .run = messages_there_and_back,
};
