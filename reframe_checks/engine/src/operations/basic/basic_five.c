/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * basic_five.c: basic items: five messages of 1 int at once from the first process to the second, then a barrier
 * (see basic.c).
 */
#include "call/messages.h"

enum { BASIC_FIVE = 5 };

static int basic_five_peers(const struct call *call, bool sending, int *ranks)
{
    const int count = BASIC_FIVE * messages_one_way_peers(call, sending, ranks);
    for (int i = 1; i < count; i++)
        ranks[i] = ranks[0];
    return count;
}

static int basic_isend_5_run(struct call *call)
{
    const int result = messages_exchange(call);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_isend_5 = {
    .name = "basic-isend-5",
    .group = "basic",
    .bytes_means = "5 messages of 1 int: MPI_Isend, MPI_Waitall",
    .shape = OPERATION_NO_DATA,
    .fixed_count = 1,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .pairs = true,
    .peers = basic_five_peers,
    .run = basic_isend_5_run,
};

static int basic_persistent_5_run(struct call *call)
{
    const int result = messages_start_persistent(call);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_persistent_5 = {
    .name = "basic-persistent-5",
    .group = "basic",
    .bytes_means = "5 messages of 1 int: MPI_Startall, MPI_Waitall",
    .shape = OPERATION_NO_DATA,
    .fixed_count = 1,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .pairs = true,
    .peers = basic_five_peers,
    .setup = messages_make_persistent,
    .run = basic_persistent_5_run,
};
