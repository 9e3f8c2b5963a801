/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_alltoall.c: MPI_Neighbor_alltoall. */
#include "call/forms.h"
#include "call/neighborhood.h"

#define ARGUMENTS(n) call->send, n.send, call->type, call->recv, n.recv, call->type, call->comm
NEIGHBORHOOD_FORMS(Neighbor_alltoall, Ineighbor_alltoall, ARGUMENTS)

const struct operation operation_neighbor_alltoall = {
    .group = "neighborhood",
    .bytes_means = "the block that each process sends to each neighbour",
    .shape = OPERATION_BLOCKS,
    OPERATION_AMONG(neighborhood_peers),
    .prepare = neighborhood_prepare,
    .forms = forms,
};
