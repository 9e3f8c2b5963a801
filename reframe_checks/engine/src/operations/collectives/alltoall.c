/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall.c: MPI_Alltoall. */
#include "call/forms.h"

#define ARGUMENTS(n) call->send, n.send, call->type, call->recv, n.recv, call->type, call->comm
COLLECTIVE_FORMS(Alltoall, Ialltoall, ARGUMENTS)

const struct operation operation_alltoall = {
    .group = "blocking",
    .bytes_means = "the block that each process sends to each",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_EACH,
    .receives = SHARE_EACH,
    .in_place = true,
    .forms = forms,
};
