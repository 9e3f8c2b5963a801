/* SPDX-License-Identifier: BSD-3-Clause */
/* join.c: the plan of the turns from the options (see join.h). */
#include "launch/join.h"

#include "base/crc32.h"
#include "machine/environment.h"
#include "operation/operation.h"
#include "operations/operation_table.h"

#include <string.h>

static int join_count_cases(const struct options *options, int64_t *cases, struct fault *fault)
{
    struct operation_list list = {0};
    if (operation_expand(options->large_counts, &list, fault) == 0)
        operation_select(options->operations, &list, fault);
    *cases = 0;
    for (size_t o = 0; o < list.count; o++) {
        const bool no_data = list.items[o].shape == OPERATION_NO_DATA;
        for (size_t s = 0; s < (no_data ? 1 : options->sizes.count); s++)
            *cases += no_data || element_fits(list.items[o].datatype, options->sizes.bytes[s]);
    }
    operation_list_free(&list);
    return (int)fault->code;
}

/* All processes of a launch have the same arguments, and no other launch writes the same file. */
static uint32_t join_identity(int argc, char **argv)
{
    uint32_t crc = 0;
    for (int i = 1; i < argc; i++)
        crc = crc32_update(crc, argv[i], strlen(argv[i]) + 1);
    return crc == 0 ? 1 : crc;
}

int join_turns(const struct options *options, int argc, char **argv, struct resident *resident, struct fault *fault)
{
    struct resident_options join = {
        .name = options->turns,
        .index = options->turn.index,
        .identity = join_identity(argc, argv),
        .limit_ns = (int64_t)(1e9 * options->turn_limit),
        .plan = {.seed = (uint64_t)options->turn_seed,
                 .residents = options->turn.residents,
                 .last = (int32_t)options->turn_last,
                 .rounds = options->passes / options->turn_passes},
    };
    struct resident_wait wait;
    if (environment_is_simulated())
        return fault_set(fault, FAULT_ENVIRONMENT, "--turns: a simulated machine has no other launches; remove it");
    return join_count_cases(options, &join.plan.cases, fault) || resident_join(resident, &join, fault) ||
           resident_await(resident, turn_prologue(&join.plan, join.index), &wait, fault);
}

void join_leave(struct resident *resident)
{
    const struct turn_plan *const plan = &resident->options.plan;
    const bool ended = resident->has_turn && turn_of(plan, resident->turn).kind == TURN_EPILOGUE;
    resident_leave(resident, ended ? SEGMENT_LEFT : SEGMENT_FAILED);
}
