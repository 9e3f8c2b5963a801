/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme_table.c: the table of measurement schemes. */
#include "scheme/scheme_table.h"

#include "scheme/scheme_barrier.h"
#include "scheme/scheme_loop.h"
#include "scheme/scheme_round_time.h"
#include "scheme/scheme_window.h"

static const struct scheme SCHEMES[] = {
    [SCHEME_WINDOW] = {.slots = true, .batch = scheme_window_batch},
    [SCHEME_ROUND_TIME] = {.batch = scheme_round_time_batch},
    [SCHEME_BARRIER] = {.batch = scheme_barrier_batch},
    [SCHEME_MPI_BARRIER] = {.batch = scheme_mpi_barrier_batch},
    [SCHEME_LOOP] = {.loops = true, .batch = scheme_loop_batch},
    [SCHEME_ROTATING_ROOT] = {.loops = true, .rotates = true, .batch = scheme_rotating_root_batch},
};

const struct scheme *scheme_of(enum scheme_choice choice)
{
    return &SCHEMES[choice];
}
