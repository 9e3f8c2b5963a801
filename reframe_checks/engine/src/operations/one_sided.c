/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * one_sided.c: the first process of a pair reaches into the memory of the second, in a window of --rma-window.
 *
 * The time is that of the transfer and its synchronisation, --rma-sync.
 */
#include "call/messages.h"
#include "call/rma.h"

static int one_sided_put_block(struct call *call, void *own, MPI_Aint place)
{
    const int count = call->plain.send;
    return MPI_Put(own, count, call->type, call->rma.partner, place, count, call->type, call->rma.handle);
}

static int one_sided_put(struct call *call)
{
    return rma_execute(call, one_sided_put_block);
}

const struct operation operation_put = {
    .name = "put",
    .group = "one-sided",
    .bytes_means = "what one process puts into the memory of another",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = messages_one_way_peers,
    .pairs = true,
    .moved = 1,
    .exposes = EXPOSES_RECEIVED,
    .execute = one_sided_put,
    .finish = rma_finish,
};

static int one_sided_get_block(struct call *call, void *own, MPI_Aint place)
{
    const int count = call->plain.recv;
    return MPI_Get(own, count, call->type, call->rma.partner, place, count, call->type, call->rma.handle);
}

static int one_sided_get(struct call *call)
{
    return rma_execute(call, one_sided_get_block);
}

/* The second process sends, without a call. */
static int one_sided_get_peers(const struct call *call, bool sending, int *ranks)
{
    return messages_one_way_peers(call, !sending, ranks);
}

const struct operation operation_get = {
    .name = "get",
    .group = "one-sided",
    .bytes_means = "what one process gets from the memory of another",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_PEERS,
    .receives = SHARE_PEERS,
    .peers = one_sided_get_peers,
    .pairs = true,
    .moved = 1,
    .exposes = EXPOSES_SENT,
    .execute = one_sided_get,
    .finish = rma_finish,
};
