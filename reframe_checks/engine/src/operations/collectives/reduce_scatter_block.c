/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_scatter_block.c: MPI_Reduce_scatter_block. */
#include "call/forms.h"

#define ARGUMENTS(n) call->send, call->recv, n.recv, call->type, call->reduction, call->comm
COLLECTIVE_FORMS(Reduce_scatter_block, Ireduce_scatter_block, ARGUMENTS)

const struct operation operation_reduce_scatter_block = {
    .group = "blocking",
    .bytes_means = "the block of the result that each process receives; it sends as many blocks as processes",
    .shape = OPERATION_BLOCKS,
    .sends = SHARE_EACH,
    .receives = SHARE_BLOCK,
    .reduces = REDUCES_ALL,
    .in_place = true,
    .forms = forms,
};
