/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter.c: MPI_Reduce_scatter. */
#include "call/forms.h"

#define ARGUMENTS(n) call->send, call->recv, n.sends, call->type, call->reduction, call->comm
COLLECTIVE_FORMS(Reduce_scatter, Ireduce_scatter, ARGUMENTS)

const struct operation operation_reduce_scatter = {
    .group = "blocking",
    .bytes_means = "the block of the result that each process receives, on average; it sends as many as processes",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_EACH,
    .receives = SHARE_BLOCK,
    .reduces = REDUCES_ALL,
    .in_place = true,
    .varied = true,
    .forms = forms,
};
