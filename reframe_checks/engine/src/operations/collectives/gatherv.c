/* SPDX-License-Identifier: BSD-3-Clause */
/* gatherv.c: MPI_Gatherv. */
#include "call/forms.h"

#define ARGUMENTS(n)                                                                                                   \
    call->send, n.send, call->type, call->recv, n.recvs, n.recv_displacements, call->type, call->root, call->comm
COLLECTIVE_FORMS(Gatherv, Igatherv, ARGUMENTS)

const struct operation operation_gatherv = {
    .group = "blocking",
    .bytes_means = "the block that each process sends, on average",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_BLOCK,
    .receives = SHARE_EACH,
    .root = ROOT_RECEIVES,
    .in_place = true,
    .varied = true,
    .forms = forms,
};
