/* SPDX-License-Identifier: BSD-3-Clause */
/* bcast.c: MPI_Bcast; its one buffer is the receive buffer. */
#include "call/forms.h"

#define ARGUMENTS(n) call->recv, n.recv, call->type, call->root, call->comm
COLLECTIVE_FORMS(Bcast, Ibcast, ARGUMENTS)

const struct operation operation_bcast = {
    .group = "blocking",
    .bytes_means = "the vector that the root sends",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .root = ROOT_SENDS,
    .one_buffer = true,
    .forms = forms,
};
