/* SPDX-License-Identifier: BSD-3-Clause */
/* transfer_persistent.c: transfer-5, two-directional by persistent requests (Andreev, Voevodin, 1997-2003). */
#include "call/messages.h"

const struct operation operation_transfer_5 = {
    .name = "transfer-5",
    .group = "transfers",
    .bytes_means = "the message that goes each way",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_pair_peers,
    .pairs = true,
    .moved = 2,
    .setup = messages_make_persistent,
    .run = messages_start_persistent,
};
