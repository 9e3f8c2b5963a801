/* SPDX-License-Identifier: BSD-3-Clause */
/* call.c: the arguments of an operation (see call.h). */
#include "call.h"

#include <stdlib.h>

void call_blocks(struct call *call, int sent, int received)
{
    call->send_bytes = (size_t)sent * (size_t)call->bytes;
    call->recv_bytes = (size_t)received * (size_t)call->bytes;
}

int call_equal_counts(struct call *call, int unit_bytes, struct fault *fault)
{
    call->counts = calloc((size_t)call->size, sizeof *call->counts);
    call->displacements = calloc((size_t)call->size, sizeof *call->displacements);
    if (call->counts == NULL || call->displacements == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the counts of %d ranks", call->size);
    for (int rank = 0; rank < call->size; rank++) {
        call->counts[rank] = call->count;
        call->displacements[rank] = rank * (int)(call->bytes / unit_bytes);
    }
    return 0;
}

int call_equal_types(struct call *call, struct fault *fault)
{
    call->types = calloc((size_t)call->size, sizeof *call->types);
    if (call->types == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the types of %d ranks", call->size);
    for (int rank = 0; rank < call->size; rank++)
        call->types[rank] = call->type;
    return 0;
}

void call_release(struct call *call)
{
    free(call->counts);
    free(call->displacements);
    free(call->types);
    call->counts = NULL;
    call->displacements = NULL;
    call->types = NULL;
}
