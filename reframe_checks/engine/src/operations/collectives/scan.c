/* SPDX-License-Identifier: BSD-3-Clause */
/* scan.c: MPI_Scan. */
#include "call/forms.h"

#define ARGUMENTS(n) call->send, call->recv, n.send, call->type, call->reduction, call->comm
COLLECTIVE_FORMS(Scan, Iscan, ARGUMENTS)

const struct operation operation_scan = {
    .group = "blocking",
    .bytes_means = "the vector that each process sends",
    .shape = OPERATION_VECTOR,
    .sends = SHARE_BLOCK,
    .receives = SHARE_BLOCK,
    .reduces = REDUCES_UP_TO_RANK,
    .in_place = true,
    .forms = forms,
};
