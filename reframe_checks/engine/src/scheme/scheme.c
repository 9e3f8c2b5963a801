/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme.c: the run that most measurement schemes are made of. */
#include "scheme/scheme.h"

int scheme_ready(const struct scheme_context *context)
{
    return context->operation->ready == NULL ? MPI_SUCCESS : context->operation->ready(context->call);
}

/* The next of the buffers, and what else an operation needs before its call. */
static int scheme_next(const struct scheme_context *context)
{
    if (context->buffers != NULL)
        buffers_next(context->buffers, context->call);
    return scheme_ready(context);
}

int scheme_operations(const struct scheme_context *context, int64_t operations)
{
    int result = context->operation->run(context->call);
    for (int64_t i = 1; i < operations && result == MPI_SUCCESS; i++) {
        result = scheme_next(context);
        if (result == MPI_SUCCESS)
            result = context->operation->run(context->call);
    }
    return result;
}

int scheme_run(const struct scheme_context *context, int64_t planned_ns, int64_t operations, struct run *run,
               struct fault *fault)
{
    int result = scheme_next(context);
    run->start_ns = clock_wait(context->clock, planned_ns);
    if (result == MPI_SUCCESS)
        result = scheme_operations(context, operations);
    run->end_ns = clock_now(context->clock);
    return team_mpi(fault, result, context->operation->name);
}
