/* SPDX-License-Identifier: BSD-3-Clause */
/* barrier.c: MPI_Barrier. */
#include "call/forms.h"

#define ARGUMENTS(n) call->comm
COUNTLESS_FORMS(Barrier, Ibarrier, ARGUMENTS)

const struct operation operation_barrier = {
    .group = "blocking",
    .bytes_means = "none: no data",
    .shape = OPERATION_NO_DATA,
    .forms = forms,
};
