/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme.c: the run that most measurement schemes are made of. */
#include "scheme/scheme.h"

int scheme_ready(const struct scheme_context *context)
{
    return context->operation->ready == NULL ? MPI_SUCCESS : context->operation->ready(context->call);
}

int scheme_run(const struct scheme_context *context, int64_t planned_ns, struct run *run, struct fault *fault)
{
    if (context->buffers != NULL)
        buffers_next(context->buffers, context->call);
    int result = scheme_ready(context);
    run->start_ns = clock_wait(context->clock, planned_ns);
    if (result == MPI_SUCCESS)
        result = context->operation->run(context->call);
    run->end_ns = clock_now(context->clock);
    return team_mpi(fault, result, context->operation->name);
}
