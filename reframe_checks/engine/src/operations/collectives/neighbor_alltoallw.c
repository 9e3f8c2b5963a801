/* SPDX-License-Identifier: BSD-3-Clause */
/* neighbor_alltoallw.c: MPI_Neighbor_alltoallw; its displacements are addresses in bytes. */
#include "call/forms.h"
#include "call/neighborhood.h"

#define ARGUMENTS(n)                                                                                                   \
    call->send, n.sends, call->large.send_displacements, call->types, call->recv, n.recvs,                             \
        call->large.recv_displacements, call->types, call->comm
NEIGHBORHOOD_FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, ARGUMENTS)

const struct operation operation_neighbor_alltoallw = {
    .group = "neighborhood",
    .bytes_means = "the block that each process sends to each neighbour, on average",
    .shape = OPERATION_BLOCKS,
    OPERATION_AMONG(neighborhood_peers),
    .varied = true,
    .typed = true,
    .prepare = neighborhood_prepare,
    .forms = forms,
};
