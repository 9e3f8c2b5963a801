/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather.c: MPI_Allgather. */
#include "call/forms.h"

#define ARGUMENTS(n) call->send, n.send, call->type, call->recv, n.recv, call->type, call->comm
COLLECTIVE_FORMS(Allgather, Iallgather, ARGUMENTS)

const struct operation operation_allgather = {
    .group = "blocking",
    .bytes_means = "the block that each process sends",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_BLOCK,
    .receives = SHARE_EACH,
    .in_place = true,
    .forms = forms,
};
