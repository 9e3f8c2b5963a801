/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * basic.c: the basic items (Andreev, Voevodin, 1997-2003).
 *
 * DT is the time of basic-timer: two readings of the timer with nothing in between. DB is that of basic-barrier less
 * DT. Each other item is its calls and a barrier; its cost is its time less DT and DB (measurement_find_costs).
 */
#include "call/call.h"
#include "call/messages.h"
#include "operation/operation.h"

#define BASIC .group = "basic", .shape = OPERATION_NO_DATA
#define BASIC_REDUCTION BASIC, .sends = SHARE_BLOCK, .receives = SHARE_BLOCK, .reduces = REDUCES_ALL
#define BASIC_PAIR(ranks) BASIC, OPERATION_AMONG(ranks), .pairs = true

static int basic_timer(struct call *call)
{
    (void)call;
    return MPI_SUCCESS;
}

const struct operation operation_basic_timer = {
    .bytes_means = "none: two readings of the timer",
    BASIC,
    .known_time = true,
    .execute = basic_timer,
};

static int basic_barrier(struct call *call)
{
    return MPI_Barrier(call->comm);
}

const struct operation operation_basic_barrier = {
    .bytes_means = "none: MPI_Barrier",
    BASIC,
    .execute = basic_barrier,
};

static int basic_iprobe(struct call *call)
{
    int flag = 0;
    const int result = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, call->comm, &flag, MPI_STATUS_IGNORE);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_iprobe = {
    .bytes_means = "none: MPI_Iprobe",
    BASIC,
    .execute = basic_iprobe,
};

/* Allreduce and reduce of 1 and of 10 ints, then a barrier. */
static int basic_allreduce(struct call *call)
{
    const int result = MPI_Allreduce(call->send, call->recv, call->plain.send, call->type, call->reduction, call->comm);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_allreduce_1 = {
    .bytes_means = "1 int",
    BASIC_REDUCTION,
    .fixed_count = 1,
    .execute = basic_allreduce,
};

const struct operation operation_basic_allreduce_10 = {
    .bytes_means = "10 ints",
    BASIC_REDUCTION,
    .fixed_count = 10,
    .execute = basic_allreduce,
};

static int basic_reduce(struct call *call)
{
    const int result =
        MPI_Reduce(call->send, call->recv, call->plain.send, call->type, call->reduction, call->root, call->comm);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_reduce_1 = {
    .bytes_means = "1 int",
    BASIC_REDUCTION,
    .fixed_count = 1,
    .root = ROOT_RECEIVES,
    .execute = basic_reduce,
};

const struct operation operation_basic_reduce_10 = {
    .bytes_means = "10 ints",
    BASIC_REDUCTION,
    .fixed_count = 10,
    .root = ROOT_RECEIVES,
    .execute = basic_reduce,
};

/* Bcast and gather of 1 int, then a barrier. */
static int basic_bcast_1(struct call *call)
{
    const int result = MPI_Bcast(call->recv, call->plain.recv, call->type, call->root, call->comm);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_bcast_1 = {
    .bytes_means = "1 int",
    BASIC,
    .fixed_count = 1,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .root = ROOT_SENDS,
    .one_buffer = true,
    .execute = basic_bcast_1,
};

static int basic_gather_1(struct call *call)
{
    const int result = MPI_Gather(call->send, call->plain.send, call->type, call->recv, call->plain.recv, call->type,
                                  call->root, call->comm);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_gather_1 = {
    .bytes_means = "1 int of each process",
    BASIC,
    .fixed_count = 1,
    .sends = SHARE_BLOCK,
    .receives = SHARE_EACH,
    .root = ROOT_RECEIVES,
    .execute = basic_gather_1,
};

/* The first process sends 10 ints to the second, then a barrier. */
static int basic_send_10(struct call *call)
{
    int result = MPI_SUCCESS;
    if (call->sent.blocks > 0)
        result = messages_send(call, 0);
    else if (call->received.blocks > 0)
        result = messages_recv(call, 0);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_send_10 = {
    .bytes_means = "10 ints: MPI_Send",
    BASIC_PAIR(messages_one_way_peers),
    .fixed_count = 10,
    .execute = basic_send_10,
};

static int basic_isend_10(struct call *call)
{
    int result = MPI_SUCCESS;
    if (call->sent.blocks > 0)
        result = messages_isend(call, 0, &call->request);
    else if (call->received.blocks > 0)
        result = messages_recv(call, 0);
    if (result == MPI_SUCCESS && call->sent.blocks > 0)
        result = MPI_Wait(&call->request, MPI_STATUS_IGNORE);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_isend_10 = {
    .bytes_means = "10 ints: MPI_Isend, MPI_Wait",
    BASIC_PAIR(messages_one_way_peers),
    .fixed_count = 10,
    .execute = basic_isend_10,
};

/* A message in each direction between the first two processes, then a barrier. */
static int basic_sendrecv_1(struct call *call)
{
    const int result = messages_sendrecv(call);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_sendrecv_1 = {
    .bytes_means = "1 int each way: MPI_Sendrecv",
    BASIC_PAIR(messages_pair_peers),
    .fixed_count = 1,
    .execute = basic_sendrecv_1,
};

static int basic_there_and_back(struct call *call)
{
    const int result = messages_there_and_back(call);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_send_recv_1 = {
    .bytes_means = "1 int there and back: MPI_Send, MPI_Recv",
    BASIC_PAIR(messages_pair_peers),
    .fixed_count = 1,
    .execute = basic_there_and_back,
};

const struct operation operation_basic_signal = {
    .bytes_means = "0 bytes there and back: twice the latency",
    BASIC_PAIR(messages_pair_peers),
    .execute = basic_there_and_back,
};

/* Five simultaneous messages of 1 int from the first process to the second, then a barrier. */
enum { BASIC_FIVE = 5 };

static int basic_five_peers(const struct call *call, bool sending, int *ranks)
{
    const int count = BASIC_FIVE * messages_one_way_peers(call, sending, ranks);
    for (int i = 1; i < count; i++)
        ranks[i] = ranks[0];
    return count;
}

static int basic_isend_5(struct call *call)
{
    const int result = messages_exchange(call);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_isend_5 = {
    .bytes_means = "5 messages of 1 int: MPI_Isend, MPI_Waitall",
    BASIC_PAIR(basic_five_peers),
    .fixed_count = 1,
    .execute = basic_isend_5,
};

static int basic_persistent_5(struct call *call)
{
    const int result = messages_start_persistent(call);
    return result != MPI_SUCCESS ? result : MPI_Barrier(call->comm);
}

const struct operation operation_basic_persistent_5 = {
    .bytes_means = "5 messages of 1 int: MPI_Startall, MPI_Waitall",
    BASIC_PAIR(basic_five_peers),
    .fixed_count = 1,
    .setup = messages_make_persistent,
    .execute = basic_persistent_5,
};
