/* SPDX-License-Identifier: BSD-3-Clause */
/* allreduce.c: MPI_Allreduce. */
#include "call/forms.h"

#define ARGUMENTS(n) call->send, call->recv, n.send, call->type, call->reduction, call->comm
COLLECTIVE_FORMS(Allreduce, Iallreduce, ARGUMENTS)

const struct operation operation_allreduce = {
    .group = "blocking",
    .bytes_means = "the vector that each process sends",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .reduces = REDUCES_ALL,
    .in_place = true,
    .forms = forms,
};
