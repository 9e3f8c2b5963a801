/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoallv.c: MPI_Alltoallv. */
#include "call/forms.h"

#define ARGUMENTS(n)                                                                                                   \
    call->send, n.sends, n.send_displacements, call->type, call->recv, n.recvs, n.recv_displacements, call->type,      \
        call->comm
COLLECTIVE_FORMS(Alltoallv, Ialltoallv, ARGUMENTS)

const struct operation operation_alltoallv = {
    .group = "blocking",
    .bytes_means = "the block that each process sends to each, on average",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_EACH,
    .receives = SHARE_EACH,
    .in_place = true,
    .varied = true,
    .forms = forms,
};
