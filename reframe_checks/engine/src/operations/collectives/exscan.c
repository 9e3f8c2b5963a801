/* SPDX-License-Identifier: BSD-3-Clause */
/* exscan.c: MPI_Exscan; the result of rank 0 is undefined. */
#include "call/forms.h"

#define ARGUMENTS(n) call->send, call->recv, n.send, call->type, call->reduction, call->comm
COLLECTIVE_FORMS(Exscan, Iexscan, ARGUMENTS)

const struct operation operation_exscan = {
    .group = "blocking",
    .bytes_means = "the vector that each process sends",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .reduces = REDUCES_BELOW_RANK,
    .in_place = true,
    .forms = forms,
};
