/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_allgather.c: MPI_Neighbor_allgather. */
#include "call/forms.h"
#include "call/neighborhood.h"

#define ARGUMENTS(n) call->send, n.send, call->type, call->recv, n.recv, call->type, call->comm
NEIGHBORHOOD_FORMS(Neighbor_allgather, Ineighbor_allgather, ARGUMENTS)

const struct operation operation_neighbor_allgather = {
    .group = "neighborhood",
    .bytes_means = "the block that each process sends to its neighbours",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_BLOCK,
    .receives = SHARE_PEERS,
    .prepare = neighborhood_prepare,
    .peers = neighborhood_peers,
    .forms = forms,
};
