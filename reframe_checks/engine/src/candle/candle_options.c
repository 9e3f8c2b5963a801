/* SPDX-License-Identifier: BSD-3-Clause */
/* candle_options.c: the table of options, and what concerns several of them (see candle_options.h). */
#include "candle/candle_options.h"

#include "options/option_rows.h"

#include <stdlib.h>

#define OPTION_FIELDS candle_options

static const struct option_rule OPTIONS[] = {
    TEXT("--operations", operations, "LIST", "operations (comma-separated); see --list"),
    TEXT("--sizes", size_text, "LIST|MIN:MAX:xFACTOR|MIN:MAX:+STEP",
         "message sizes in bytes, with an optional unit B, KiB, MiB or GiB"),
    TEXT("--output", output, "FILE", "JSON Lines file to write; must not exist"),
    PAIRS("--append-header", notes, "K=V ...", "notes for the header record"),
    WHOLE("--passes", passes, "1", 1, 1000, "N", "passes over all operations and sizes"),
    WHOLE("--batch", batch, "40", 4, 10000, "N", "repetitions of each operation and size in a pass"),
    TEXT("--turns", turns, "SEGMENT",
         "measure in turns with other launches, by a shared segment of that name on each node"),
    TEXT("--turn", turn_text, "I/N", "with --turns: this launch is resident I (from 0) of N"),
    WHOLE("--turn-seed", turn_seed, "0", 0, 4294967295.0, "SEED", "with --turns: seed of their order"),
    REAL("--turn-limit", turn_limit, "10", 0.01, 86400, "S",
         "with --turns: a turn that takes more seconds is lost; for starting and ending 6 S"),
    WHOLE("--turn-last", turn_last, "-1", -1, TURN_SPEC_MAX - 1, "I",
          "with --turns: the resident that ends last; -1: as they are numbered"),
    WHOLE("--expect-ranks", expect_ranks, "0", 0, 1e9, "N", "exit 3 unless there are N processes"),
    TEXT("--rendezvous", rendezvous, "FOLDER",
         "where processes of several nodes find each other: a folder that all nodes share"),
    REAL("--patience", patience, "60", 0.01, 86400, "S",
         "seconds to wait for the start of other processes, and for a message"),
    WHOLE("--test-nodes", test_nodes, "0", 0, 1000, NULL, NULL),
    REAL("--test-lost", test_lost, "0", 0, 0.9, NULL, NULL),
    FLAG("--list", list, "print the operations and the kernel of each"),
    FLAG("--help", help, "print this text"),
    FLAG("--version", version, "print the versions of the candle and of the engine"),
};

enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

static int options_check(struct candle_options *options, struct fault *fault)
{
    if (options->operations == NULL)
        return fault_set(fault, FAULT_USAGE, "--operations is missing; --list prints all operations");
    if (options->output == NULL)
        return fault_set(fault, FAULT_USAGE, "--output is missing; name a new file");
    if ((options->turns == NULL) != (options->turn_text == NULL))
        return fault_set(fault, FAULT_USAGE, "%s",
                         options->turns == NULL ? "--turn: only valid with --turns; add that or remove this"
                                                : "--turns: --turn is missing; give I/N, the index and the "
                                                  "number of residents");
    if (options->turns != NULL &&
        (turn_spec_check_name(options->turns, fault) || turn_spec_parse(options->turn_text, &options->turn, fault)))
        return (int)fault->code;
    if (options->turns != NULL && options->turn_last >= options->turn.residents)
        return fault_set(fault, FAULT_USAGE, "--turn-last %lld: with %d residents give -1 to %d",
                         (long long)options->turn_last, options->turn.residents, options->turn.residents - 1);
    return options->size_text == NULL ? 0 : sizes_parse(options->size_text, &options->sizes, fault);
}

int candle_options_parse(int argc, char **argv, struct candle_options *options, struct fault *fault)
{
    bool present[OPTION_COUNT] = {false};
    const struct option_target target = {
        .rules = OPTIONS, .count = OPTION_COUNT, .fields = options, .present = present};
    *options = (struct candle_options){0};
    if (option_parse(&target, argc, argv, fault) == 0 && !options->list && !options->help && !options->version)
        options_check(options, fault);
    return (int)fault->code;
}

void candle_options_free(struct candle_options *options)
{
    sizes_free(&options->sizes);
    free(options->notes.texts);
    *options = (struct candle_options){0};
}

void candle_options_help(FILE *stream)
{
    fputs("isochron-candle: a fixed message-passing program without MPI, measured beside MPI libraries\n"
          "usage: mpiexec ... isochron-candle --operations LIST --sizes LIST --output FILE [options]\n\n",
          stream);
    option_print(OPTIONS, OPTION_COUNT, stream);
    fputs("\nexit codes: 0 measured, 2 usage, 3 the environment cannot be measured,\n"
          "            5 a process is lost or output cannot be written, 6 with --turns: lost its turn\n",
          stream);
}
