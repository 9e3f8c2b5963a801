/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packing.c: MPI_Pack and MPI_Unpack, on all processes at the same time: what a datatype costs without a message.
 *
 * A process packs its own block into call->packed, which is the same memory in all repetitions.
 */
#include "call/call.h"
#include "operation/operation.h"

static int packing_peers(const struct call *call, bool sending, int *ranks)
{
    (void)sending;
    ranks[0] = call->rank;
    return 1;
}

static int packing_pack(struct call *call)
{
    int position = 0;
    return MPI_Pack(call->send, call->plain.send, call->type, call->packed, call->packed_bytes, &position, call->comm);
}

static int packing_unpack(struct call *call)
{
    int position = 0;
    return MPI_Unpack(call->packed, call->packed_bytes, &position, call->recv, call->plain.recv, call->type,
                      call->comm);
}

const struct operation operation_pack = {
    .group = "packing",
    .bytes_means = "the data that each process packs",
    .shape = OPERATION_VECTOR,
    OPERATION_AMONG(packing_peers),
    .packs = true,
    .moved = 1,
    .execute = packing_pack,
    .after = packing_unpack,
};

const struct operation operation_unpack = {
    .group = "packing",
    .bytes_means = "the data that each process unpacks",
    .shape = OPERATION_VECTOR,
    OPERATION_AMONG(packing_peers),
    .packs = true,
    .moved = 1,
    .before = packing_pack,
    .execute = packing_unpack,
};
