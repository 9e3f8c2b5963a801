/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoallw.c: MPI_Alltoallw; its displacements are in bytes. */
#include "call/forms.h"

#define ARGUMENTS(n)                                                                                                   \
    call->send, n.sends, n.send_displacements, call->types, call->recv, n.recvs, n.recv_displacements, call->types,    \
        call->comm
COLLECTIVE_FORMS(Alltoallw, Ialltoallw, ARGUMENTS)

const struct operation operation_alltoallw = {
    .group = "blocking",
    .bytes_means = "the block that each process sends to each, on average",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_EACH,
    .receives = SHARE_EACH,
    .in_place = true,
    .varied = true,
    .typed = true,
    .forms = forms,
};
