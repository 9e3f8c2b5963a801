/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_allgatherv.c: MPI_Neighbor_allgatherv. */
#include "call/forms.h"
#include "call/neighborhood.h"

#define ARGUMENTS(n) call->send, n.send, call->type, call->recv, n.recvs, n.recv_displacements, call->type, call->comm
NEIGHBORHOOD_FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, ARGUMENTS)

const struct operation operation_neighbor_allgatherv = {
    .group = "neighborhood",
    .bytes_means = "the block that each process sends to its neighbours, on average",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_BLOCK,
    .receives = SHARE_PEERS,
    .varied = true,
    .prepare = neighborhood_prepare,
    .peers = neighborhood_peers,
    .forms = forms,
};
