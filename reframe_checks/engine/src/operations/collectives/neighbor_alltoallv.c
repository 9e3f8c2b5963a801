/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_alltoallv.c: MPI_Neighbor_alltoallv. */
#include "call/forms.h"
#include "call/neighborhood.h"

#define ARGUMENTS(n)                                                                                                   \
    call->send, n.sends, n.send_displacements, call->type, call->recv, n.recvs, n.recv_displacements, call->type,      \
        call->comm
NEIGHBORHOOD_FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, ARGUMENTS)

const struct operation operation_neighbor_alltoallv = {
    .group = "neighborhood",
    .bytes_means = "the block that each process sends to each neighbour, on average",
    .shape = OPERATION_BLOCKS,
    OPERATION_AMONG(neighborhood_peers),
    .varied = true,
    .prepare = neighborhood_prepare,
    .forms = forms,
};
