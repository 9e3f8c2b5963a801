/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c: a candle from its options to its file, and an exit code. */
#include "base/output.h"
#include "base/version.h"
#include "candle/candle_options.h"
#include "candle/cases.h"
#include "candle/record_candle.h"
#include "candle/rendezvous.h"
#include "candle/slice.h"
#include "instruments/moment.h"
#include "turns/resident.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A candle: one process of it. */
struct candle {
    struct candle_options options;
    struct candle_cases cases;
    struct place place;
    struct rendezvous rendezvous;
    struct resident resident;
    struct slice_space space;
    struct slice *slices; /* by case, then pass */
    int64_t begin_ns;
};

static bool candle_takes_turns(const struct candle *candle)
{
    return candle->options.turns != NULL;
}

/* Wait for that turn on every node, if there are turns. */
static int candle_begin_turn(struct candle *candle, uint32_t turn, struct slice *slice, struct fault *fault)
{
    struct resident_wait wait = {0};
    if (candle_takes_turns(candle) && resident_await(&candle->resident, turn, &wait, fault))
        return (int)fault->code;
    slice->t_ns = moment_now();
    slice->slept_cpu_ns = wait.slept_cpu_ns;
    slice->waited_ns = wait.waited_ns;
    return 0;
}

/* All processes have ended the turn: the first process of each node raises the counter there. */
static int candle_end_turn(struct candle *candle, struct fault *fault)
{
    if (!candle_takes_turns(candle))
        return 0;
    collective_barrier(&candle->rendezvous.link);
    link_flush(&candle->rendezvous.link);
    if (candle->rendezvous.link.fault.code != FAULT_NONE)
        return fault_set(fault, FAULT_SYSTEM, "%s", candle->rendezvous.link.fault.text);
    return resident_hand_over(&candle->resident, candle->rendezvous.local[candle->place.rank] == 0, fault);
}

static struct turn_plan candle_plan(const struct candle *candle)
{
    return (struct turn_plan){.seed = (uint64_t)candle->options.turn_seed,
                              .residents = candle->options.turn.residents,
                              .last = (int32_t)candle->options.turn_last,
                              .rounds = candle->options.passes,
                              .cases = (int64_t)candle->cases.count};
}

/* In turns: join the residents, and wait for the prologue turn. */
static int candle_join(struct candle *candle, struct fault *fault)
{
    const uint64_t key = candle->place.key;
    const struct resident_options join = {.name = candle->options.turns,
                                          .index = candle->options.turn.index,
                                          .identity = (uint32_t)(key ^ key >> 32) | 1,
                                          .limit_ns = (int64_t)(1e9 * candle->options.turn_limit),
                                          .plan = candle_plan(candle)};
    struct slice slice;
    if (!candle_takes_turns(candle))
        return 0;
    return resident_join(&candle->resident, &join, fault) ||
           candle_begin_turn(candle, turn_prologue(&join.plan, join.index), &slice, fault);
}

/* Begin that turn, and measure all cases in a row, a limit of a turn for each. */
static int candle_measure_pass(struct candle *candle, int64_t pass, uint32_t turn, struct fault *fault)
{
    for (size_t i = 0; i < candle->cases.count; i++) {
        struct slice *const slice = &candle->slices[(int64_t)i * candle->options.passes + pass];
        if (i == 0 && candle_begin_turn(candle, turn, slice, fault))
            return (int)fault->code;
        if (i > 0)
            slice->t_ns = moment_now();
        if (slice_measure(&candle->rendezvous.link, &candle->space, &candle->cases.items[i], slice, fault))
            return (int)fault->code;
        if (candle_takes_turns(candle))
            resident_extend_turn(&candle->resident);
    }
    return 0;
}

static int candle_measure(struct candle *candle, struct fault *fault)
{
    const struct turn_plan plan = candle_plan(candle);
    const int index = candle->options.turn.index;
    struct slice last;
    for (int64_t pass = 0; pass < candle->options.passes; pass++) {
        const uint32_t turn = candle_takes_turns(candle) ? turn_in_round(&plan, index, pass) : 0;
        if (candle_measure_pass(candle, pass, turn, fault) || candle_end_turn(candle, fault))
            return (int)fault->code;
    }
    return candle_takes_turns(candle) ? candle_begin_turn(candle, turn_epilogue(&plan, index), &last, fault) : 0;
}

static int candle_write(const struct candle *candle, int argc, char **argv, struct fault *fault)
{
    const struct candle_options *const options = &candle->options;
    struct output output;
    struct json json = {0};
    if (output_open(&output, options->output, fault) == 0) {
        record_candle_header(options, argc, argv, &candle->rendezvous,
                             candle_takes_turns(candle) ? &candle->resident : NULL, &json);
        output_record(&output, &json, fault);
    }
    for (size_t i = 0; i < candle->cases.count && fault->code == FAULT_NONE; i++) {
        record_candle_case(&candle->cases.items[i], &candle->slices[(int64_t)i * options->passes], options->passes,
                           candle_takes_turns(candle), &json);
        output_record(&output, &json, fault);
    }
    const struct output_footer footer = {.elapsed_ns = moment_now() - candle->begin_ns};
    if (fault->code == FAULT_NONE)
        output_finish(&output, &footer, fault);
    output_discard(&output);
    json_free(&json);
    return (int)fault->code;
}

/* Everything between the options and the file. */
static int candle_perform(struct candle *candle, int argc, char **argv, struct fault *fault)
{
    const struct rendezvous_options meet = {.folder = candle->options.rendezvous,
                                            .limit_ns = (int64_t)(1e9 * candle->options.patience),
                                            .test_nodes = (int)candle->options.test_nodes,
                                            .test_lost = candle->options.test_lost};
    const size_t slices = candle->cases.count * (size_t)candle->options.passes;
    candle->begin_ns = moment_now();
    candle->slices = calloc(slices, sizeof *candle->slices);
    if (candle->slices == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %zu slices", slices);
    if (slice_open(&candle->space, candle->options.batch, &candle->cases, candle->place.size, fault) ||
        candle_join(candle, fault) || rendezvous_open(&candle->rendezvous, &candle->place, &meet, fault) ||
        candle_end_turn(candle, fault) || candle_measure(candle, fault))
        return (int)fault->code;
    if (candle->place.rank == 0)
        candle_write(candle, argc, argv, fault);
    collective_barrier(&candle->rendezvous.link); /* others end when the file is there */
    link_flush(&candle->rendezvous.link);
    return (int)fault->code;
}

/* Return true if the options only request something that is printed. */
static bool candle_prints_only(const struct candle_options *options)
{
    return options->help || options->version || options->list;
}

/* Return true if this process prints the fault; common: all processes have the same. */
static bool candle_reports(const struct candle *candle, const struct fault *fault, bool common)
{
    if (fault->code == FAULT_TURN)
        return resident_may_tell(&candle->resident);
    return !common || candle->place.rank == 0;
}

/* Check what is the same for all processes, before any of them waits for another. */
static int candle_prepare(struct candle *candle, int argc, char **argv, struct fault *fault)
{
    struct candle_options *const options = &candle->options;
    if (candle_options_parse(argc, argv, options, fault) ||
        place_read(argc, argv, options->expect_ranks, &candle->place, fault) || candle_prints_only(options))
        return (int)fault->code;
    return output_check(options->output, fault) ||
           cases_list(options->operations, &options->sizes, &candle->cases, fault);
}

static void candle_print(const struct candle_options *options)
{
    if (options->help)
        candle_options_help(stdout);
    else if (options->version)
        printf("isochron-candle %d\nisochron-engine %s\ncompiler: %s\n", CANDLE_VERSION, ENGINE_VERSION,
               ENGINE_COMPILER);
    else
        cases_print_operations(stdout);
}

/*
 * Shared memory is taken when it is used first, and a full /dev/shm shows only then. A signal handler: it may not
 * allocate.
 */
static void candle_end_without_memory(int signal)
{
    static const char LINE[] = "isochron-candle: /dev/shm has no room for messages; enlarge it\n";
    (void)signal;
    (void)!write(STDERR_FILENO, LINE, sizeof LINE - 1);
    _exit(FAULT_SYSTEM);
}

int main(int argc, char **argv)
{
    const struct sigaction no_memory = {.sa_handler = candle_end_without_memory};
    struct candle candle = {.rendezvous.descriptor = -1, .resident.segment.descriptor = -1};
    struct fault fault = {0};
    sigaction(SIGBUS, &no_memory, NULL);
    const bool common = candle_prepare(&candle, argc, argv, &fault) != 0;
    if (!common && !candle_prints_only(&candle.options))
        candle_perform(&candle, argc, argv, &fault);
    else if (!common && candle.place.rank == 0)
        candle_print(&candle.options);
    if (fault.code != FAULT_NONE && candle_reports(&candle, &fault, common))
        fprintf(stderr, "isochron-candle: %s\n", fault.text);
    resident_leave(&candle.resident, fault.code == FAULT_NONE ? SEGMENT_LEFT : SEGMENT_FAILED);
    rendezvous_close(&candle.rendezvous);
    slice_close(&candle.space);
    cases_free(&candle.cases);
    free(candle.slices);
    candle_options_free(&candle.options);
    return (int)fault.code;
}
