/* SPDX-License-Identifier: BSD-3-Clause */
/* allgatherv.c: MPI_Allgatherv. */
#include "call/forms.h"

#define ARGUMENTS(n) call->send, n.send, call->type, call->recv, n.recvs, n.recv_displacements, call->type, call->comm
COLLECTIVE_FORMS(Allgatherv, Iallgatherv, ARGUMENTS)

const struct operation operation_allgatherv = {
    .group = "blocking",
    .bytes_means = "the block that each process sends, on average",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_BLOCK,
    .receives = SHARE_EACH,
    .in_place = true,
    .varied = true,
    .forms = forms,
};
