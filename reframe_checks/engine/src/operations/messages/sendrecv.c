/* SPDX-License-Identifier: BSD-3-Clause */
/* sendrecv.c: a periodic chain, each process sends to the next, as Sendrecv of PMB and IMB: two messages a process. */
#include "call/messages.h"

const struct operation operation_sendrecv = {
    .name = "sendrecv",
    .group = "point-to-point",
    .bytes_means = "the message that each process sends to the next",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_chain_peers,
    .multi = true,
    .moved = 2,
    .run = messages_sendrecv,
};
