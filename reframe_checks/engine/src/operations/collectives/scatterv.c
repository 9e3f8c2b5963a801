/* SPDX-License-Identifier: BSD-3-Clause */
/* scatterv.c: MPI_Scatterv. */
#include "call/forms.h"

#define ARGUMENTS(n)                                                                                                   \
    call->send, n.sends, n.send_displacements, call->type, call->recv, n.recv, call->type, call->root, call->comm
COLLECTIVE_FORMS(Scatterv, Iscatterv, ARGUMENTS)

const struct operation operation_scatterv = {
    .group = "blocking",
    .bytes_means = "the block that each process receives, on average",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_EACH,
    .receives = SHARE_BLOCK,
    .root = ROOT_SENDS,
    .in_place = true,
    .varied = true,
    .forms = forms,
};
