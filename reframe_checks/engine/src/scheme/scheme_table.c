/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme_table.c: the table of measurement schemes. */
#include "scheme/scheme_table.h"

#include "scheme/scheme_barrier.h"
#include "scheme/scheme_loop.h"
#include "scheme/scheme_round_time.h"
#include "scheme/scheme_window.h"

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
