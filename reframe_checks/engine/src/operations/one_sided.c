/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * one_sided.c: the first process of a pair reaches into the memory of the second, in a window of --rma-window.
 *
 * The time is that of the transfer and its synchronisation, --rma-sync.
 */
#include "call/messages.h"
#include "call/rma.h"

#define ONE_SIDED(ranks, side, function)                                                                               \
    .group = "one-sided", OPERATION_AMONG(ranks), .pairs = true, .exposes = side, .execute = rma_execute,              \
    .transfer = function, .finish = rma_finish

static int one_sided_put(struct call *call, void *own, int64_t place)
{
    const int count = call->plain.send;
    return MPI_Put(own, count, call->type, call->rma.partner, place, count, call->type, call->rma.handle);
}

const struct operation operation_put = {
    .bytes_means = "what one process puts into the memory of another",
    .shape = OPERATION_VECTOR,
    ONE_SIDED(messages_one_way_peers, EXPOSES_RECEIVED, one_sided_put),
    .moved = 1,
    .before = rma_before,
};

static int one_sided_get(struct call *call, void *own, int64_t place)
{
    const int count = call->plain.recv;
    return MPI_Get(own, count, call->type, call->rma.partner, place, count, call->type, call->rma.handle);
}

/* The second process sends, without a call. */
static int one_sided_get_peers(const struct call *call, bool sending, int *ranks)
{
    return messages_one_way_peers(call, !sending, ranks);
}

const struct operation operation_get = {
    .bytes_means = "what one process gets from the memory of another",
    .shape = OPERATION_VECTOR,
    ONE_SIDED(one_sided_get_peers, EXPOSES_SENT, one_sided_get),
    .moved = 1,
    .before = rma_before,
};

static int one_sided_accumulate(struct call *call, void *own, int64_t place)
{
    const int count = call->plain.send;
    return MPI_Accumulate(own, count, call->type, call->rma.partner, place, count, call->type, call->reduction,
                          call->rma.handle);
}

const struct operation operation_accumulate = {
    .bytes_means = "what one process combines with the memory of another",
    .shape = OPERATION_VECTOR,
    ONE_SIDED(messages_one_way_peers, EXPOSES_RECEIVED, one_sided_accumulate),
    .reduces = REDUCES_UP_TO_RANK,
    .updates = true,
    .moved = 1,
    .before = rma_before,
};

/* What the target had comes back into the receive buffer of the origin. */
static int one_sided_get_accumulate(struct call *call, void *own, int64_t place)
{
    const int count = call->plain.send;
    return MPI_Get_accumulate(own, count, call->type, call->recv, count, call->type, call->rma.partner, place, count,
                              call->type, call->reduction, call->rma.handle);
}

const struct operation operation_get_accumulate = {
    .bytes_means = "what one process combines with the memory of another, whose former content it gets",
    .shape = OPERATION_VECTOR,
    ONE_SIDED(messages_pair_peers, EXPOSES_RECEIVED, one_sided_get_accumulate),
    .reduces = REDUCES_UP_TO_RANK,
    .updates = true,
    .moved = 2,
    .before = rma_before,
};

static int one_sided_fetch_and_op(struct call *call, void *own, int64_t place)
{
    return MPI_Fetch_and_op(own, call->recv, call->type, call->rma.partner, place, call->reduction, call->rma.handle);
}

const struct operation operation_fetch_and_op = {
    .bytes_means = "1 int",
    .shape = OPERATION_NO_DATA,
    ONE_SIDED(messages_pair_peers, EXPOSES_RECEIVED, one_sided_fetch_and_op),
    .reduces = REDUCES_UP_TO_RANK,
    .updates = true,
    .fixed_count = 1,
    .before = rma_before,
};

/* The origin learns what the target has. The first swap changes that; those that follow compare, and change nothing. */
static int one_sided_compare_before(struct call *call)
{
    struct call_rma *const rma = &call->rma;
    const int result = rma_before(call);
    if (result != MPI_SUCCESS || rma->handle == MPI_WIN_NULL)
        return result;
    return MPI_Sendrecv(call->recv, 1, MPI_INT, rma->target ? rma->partner : MPI_PROC_NULL, MESSAGES_TAG,
                        &rma->compared, 1, MPI_INT, rma->origin ? rma->partner : MPI_PROC_NULL, MESSAGES_TAG, rma->comm,
                        MPI_STATUS_IGNORE);
}

static int one_sided_compare_and_swap(struct call *call, void *own, int64_t place)
{
    return MPI_Compare_and_swap(own, &call->rma.compared, call->recv, call->type, call->rma.partner, place,
                                call->rma.handle);
}

const struct operation operation_compare_and_swap = {
    .bytes_means = "1 int",
    .shape = OPERATION_NO_DATA,
    ONE_SIDED(messages_pair_peers, EXPOSES_RECEIVED, one_sided_compare_and_swap),
    .updates = true,
    .fixed_count = 1,
    .before = one_sided_compare_before,
};

/* --burst transfers that one synchronisation completes. */
const struct operation operation_put_burst = {
    .bytes_means = "each of the blocks that one process puts into the memory of another",
    .shape = OPERATION_VECTOR,
    ONE_SIDED(messages_one_way_peers, EXPOSES_RECEIVED, one_sided_put),
    .bursts = true,
    .moved = 1,
    .before = rma_before,
};

const struct operation operation_put_burst_both_ways = {
    .bytes_means = "each of the blocks that two processes put into each other's memory",
    .shape = OPERATION_VECTOR,
    ONE_SIDED(messages_pair_peers, EXPOSES_RECEIVED, one_sided_put),
    .bursts = true,
    .moved = 1,
    .before = rma_before,
};

const struct operation operation_get_burst = {
    .bytes_means = "each of the blocks that one process gets from the memory of another",
    .shape = OPERATION_VECTOR,
    ONE_SIDED(one_sided_get_peers, EXPOSES_SENT, one_sided_get),
    .bursts = true,
    .moved = 1,
    .before = rma_before,
};
