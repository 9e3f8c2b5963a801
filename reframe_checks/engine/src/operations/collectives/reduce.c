/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce.c: MPI_Reduce. */
#include "call/forms.h"

#define ARGUMENTS(n) call->send, call->recv, n.send, call->type, call->reduction, call->root, call->comm
COLLECTIVE_FORMS(Reduce, Ireduce, ARGUMENTS)

const struct operation operation_reduce = {
    .group = "blocking",
    .bytes_means = "the vector that each process sends",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .root = ROOT_RECEIVES,
    .reduces = REDUCES_ALL,
    .in_place = true,
    .forms = forms,
};
