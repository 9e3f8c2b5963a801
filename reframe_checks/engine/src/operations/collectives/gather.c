/* SPDX-License-Identifier: BSD-3-Clause */
/* gather.c: MPI_Gather. */
#include "call/forms.h"

#define ARGUMENTS(n) call->send, n.send, call->type, call->recv, n.recv, call->type, call->root, call->comm
COLLECTIVE_FORMS(Gather, Igather, ARGUMENTS)

const struct operation operation_gather = {
    .group = "blocking",
    .bytes_means = "the block that each process sends",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_BLOCK,
    .receives = SHARE_EACH,
    .root = ROOT_RECEIVES,
    .in_place = true,
    .forms = forms,
};
