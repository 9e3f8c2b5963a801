/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme.c: the table of measurement schemes, and the run that most of them are made of. */
#include "scheme.h"

#include <string.h>

static const struct scheme SCHEMES[] = {
    {.name = "window", .slots = true, .batch = scheme_window_batch},
    {.name = "round-time", .batch = scheme_round_time_batch},
    {.name = "barrier", .batch = scheme_barrier_batch},
    {.name = "loop", .loops = true, .batch = scheme_loop_batch},
    {.name = "rotating-root", .loops = true, .rotates = true, .batch = scheme_rotating_root_batch},
};

const struct scheme *scheme_find(const char *name)
{
    for (size_t i = 0; i < sizeof SCHEMES / sizeof SCHEMES[0]; i++)
        if (strcmp(SCHEMES[i].name, name) == 0)
            return &SCHEMES[i];
    return NULL;
}

int scheme_run(const struct scheme_context *context, int64_t planned_ns, struct run *run, struct fault *fault)
{
    if (context->buffers != NULL)
        buffers_next(context->buffers, context->call);
    run->start_ns = clock_wait(context->clock, planned_ns);
    const int result = context->operation->run(context->call);
    run->end_ns = clock_now(context->clock);
    return team_mpi(fault, result, context->operation->name);
}
