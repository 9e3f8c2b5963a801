/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter.c: MPI_Scatter. */
#include "call/forms.h"

#define ARGUMENTS(n) call->send, n.send, call->type, call->recv, n.recv, call->type, call->root, call->comm
COLLECTIVE_FORMS(Scatter, Iscatter, ARGUMENTS)

const struct operation operation_scatter = {
    .group = "blocking",
    .bytes_means = "the block that each process receives",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_EACH,
    .receives = SHARE_BLOCK,
    .root = ROOT_SENDS,
    .in_place = true,
    .forms = forms,
};
