/* SPDX-License-Identifier: BSD-3-Clause */
/* candle_options.c: the table of options and their parser (see candle_options.h). */
#include "candle/candle_options.h"

#include "base/json.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum option_kind { OPTION_TEXT, OPTION_INTEGER, OPTION_REAL, OPTION_FLAG, OPTION_NOTES };

/* clang-format off */
#define OPTION(n, k, m, ...) {.name = n, .kind = OPTION_##k, .field = offsetof(struct candle_options, m), __VA_ARGS__}
#define NUMBER(n, k, m, i, l, u, v, h) OPTION(n, k, m, .initial = i, .low = l, .high = u, .value = v, .help = h)
/* clang-format on */

static const struct candle_option {
    const char *name;
    enum option_kind kind;
    size_t field;
    double initial, low, high; /* of a number */
    const char *value, *help;  /* placeholder; NULL: an option for tests */
} OPTIONS[] = {
    OPTION("--operations", TEXT, operations, .value = "LIST", .help = "operations (comma-separated); see --list"),
    OPTION("--sizes", TEXT, size_text, .value = "LIST|MIN:MAX:xFACTOR|MIN:MAX:+STEP",
           .help = "message sizes in bytes, with an optional unit B, KiB, MiB or GiB"),
    OPTION("--output", TEXT, output, .value = "FILE", .help = "JSON Lines file to write; must not exist"),
    OPTION("--append-header", NOTES, notes, .value = "K=V ...", .help = "notes for the header record"),
    NUMBER("--passes", INTEGER, passes, 1, 1, 1000, "N", "passes over all operations and sizes"),
    NUMBER("--batch", INTEGER, batch, 40, 4, 10000, "N", "repetitions of each operation and size in a pass"),
    OPTION("--turns", TEXT, turns, .value = "SEGMENT",
           .help = "measure in turns with other launches, by a shared segment of that name on each node"),
    OPTION("--turn", TEXT, turn_text, .value = "I/N", .help = "with --turns: this launch is resident I (from 0) of N"),
    NUMBER("--turn-seed", INTEGER, turn_seed, 0, 0, 4294967295.0, "SEED", "with --turns: seed of their order"),
    NUMBER("--turn-limit", REAL, turn_limit, 10, 0.01, 86400, "S",
           "with --turns: a turn that takes more seconds is lost; for starting and ending 6 S"),
    NUMBER("--turn-last", INTEGER, turn_last, -1, -1, TURN_SPEC_MAX - 1, "I",
           "with --turns: the resident that ends last; -1: as they are numbered"),
    NUMBER("--expect-ranks", INTEGER, expect_ranks, 0, 0, 1e9, "N", "exit 3 unless there are N processes"),
    OPTION("--rendezvous", TEXT, rendezvous, .value = "FOLDER",
           .help = "where processes of several nodes find each other: a folder that all nodes share"),
    NUMBER("--patience", REAL, patience, 60, 0.01, 86400, "S",
           "seconds to wait for the start of other processes, and for a message"),
    NUMBER("--test-nodes", INTEGER, test_nodes, 0, 0, 1000, NULL, NULL),
    NUMBER("--test-lost", REAL, test_lost, 0, 0, 0.9, NULL, NULL),
    OPTION("--list", FLAG, list, .help = "print the operations and the kernel of each"),
    OPTION("--help", FLAG, help, .help = "print this text"),
    OPTION("--version", FLAG, version, .help = "print the versions of the candle and of the engine"),
};

enum { OPTION_COUNT = sizeof OPTIONS / sizeof *OPTIONS };

static int options_add_note(struct candle_options *options, const char *pair, struct fault *fault)
{
    const size_t key = strcspn(pair, "=");
    if (key == 0 || key > JSON_PAIR_KEY || pair[key] == '\0')
        return fault_set(fault, FAULT_USAGE, "--append-header '%.100s': give K=V, K of at most %d characters", pair,
                         JSON_PAIR_KEY);
    for (size_t i = 0; i < options->note_count; i++)
        if (strncmp(options->notes[i], pair, key + 1) == 0)
            return fault_set(fault, FAULT_USAGE, "--append-header: '%.*s' given twice; give it once", (int)key, pair);
    options->notes[options->note_count++] = pair;
    return 0;
}

static int options_set_number(const struct candle_option *option, void *field, const char *text, struct fault *fault)
{
    const bool is_integer = option->kind == OPTION_INTEGER;
    int64_t integer = 0;
    double real = 0.0;
    const bool read = is_integer ? text_integer(text, &integer) : text_real(text, &real);
    if (is_integer)
        real = (double)integer;
    if (!read || real < option->low || real > option->high)
        return fault_set(fault, FAULT_USAGE, "%s '%s': give a%s from %.10g to %.10g", option->name, text,
                         is_integer ? "n integer" : " number", option->low, option->high);
    if (is_integer)
        memcpy(field, &integer, sizeof integer);
    else
        memcpy(field, &real, sizeof real);
    return 0;
}

static int options_set(struct candle_options *options, const struct candle_option *option, const char *text,
                       struct fault *fault)
{
    void *const field = (char *)options + option->field;
    if (*text == '\0')
        return fault_set(fault, FAULT_USAGE, "%s: empty value; give %s", option->name, option->value);
    if (option->kind == OPTION_NOTES)
        return options_add_note(options, text, fault);
    if (option->kind != OPTION_TEXT)
        return options_set_number(option, field, text, fault);
    memcpy(field, &text, sizeof text);
    return 0;
}

static void options_set_defaults(struct candle_options *options)
{
    *options = (struct candle_options){0};
    for (size_t o = 0; o < OPTION_COUNT; o++) {
        void *const field = (char *)options + OPTIONS[o].field;
        const int64_t integer = (int64_t)OPTIONS[o].initial;
        if (OPTIONS[o].kind == OPTION_INTEGER)
            memcpy(field, &integer, sizeof integer);
        if (OPTIONS[o].kind == OPTION_REAL)
            memcpy(field, &OPTIONS[o].initial, sizeof OPTIONS[o].initial);
    }
}

/* Read the option at argv[i] with its values; return the index of the next option. */
static int options_read(int argc, char **argv, int i, struct candle_options *options, bool *given, struct fault *fault)
{
    size_t o = 0;
    while (o < OPTION_COUNT && strcmp(OPTIONS[o].name, argv[i]) != 0)
        o++;
    if (o == OPTION_COUNT) {
        fault_set(fault, FAULT_USAGE, "unknown option '%s'; --help prints all options", argv[i]);
        return argc;
    }
    const struct candle_option *const option = &OPTIONS[o];
    if (given[o] && option->kind != OPTION_NOTES)
        fault_set(fault, FAULT_USAGE, "%s: given twice; give it once", option->name);
    given[o] = true;
    i++;
    if (option->kind == OPTION_FLAG) {
        *(bool *)((char *)options + option->field) = true;
        return i;
    }
    if (i >= argc || strncmp(argv[i], "--", 2) == 0)
        fault_set(fault, FAULT_USAGE, "%s: value missing; give %s", option->name,
                  option->value == NULL ? "a number" : option->value);
    for (; i < argc && strncmp(argv[i], "--", 2) != 0 && fault->code == FAULT_NONE; i++) {
        options_set(options, option, argv[i], fault);
        if (option->kind != OPTION_NOTES)
            return i + 1;
    }
    return i;
}

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
    bool given[OPTION_COUNT] = {false};
    options_set_defaults(options);
    options->notes = calloc((size_t)argc, sizeof *options->notes);
    if (options->notes == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for %d options", argc);
    for (int i = 1; i < argc && fault->code == FAULT_NONE;)
        i = options_read(argc, argv, i, options, given, fault);
    if (fault->code == FAULT_NONE && !options->list && !options->help && !options->version)
        options_check(options, fault);
    return (int)fault->code;
}

void candle_options_free(struct candle_options *options)
{
    sizes_free(&options->sizes);
    free(options->notes);
    *options = (struct candle_options){0};
}

void candle_options_help(FILE *stream)
{
    fputs("isochron-candle: a fixed message-passing program without MPI, measured beside MPI libraries\n"
          "usage: mpiexec ... isochron-candle --operations LIST --sizes LIST --output FILE [options]\n\n",
          stream);
    for (size_t o = 0; o < OPTION_COUNT; o++)
        if (OPTIONS[o].help != NULL)
            fprintf(stream, "  %s%s%s\n      %s\n", OPTIONS[o].name, OPTIONS[o].value == NULL ? "" : " ",
                    OPTIONS[o].value == NULL ? "" : OPTIONS[o].value, OPTIONS[o].help);
    fputs("\nexit codes: 0 measured, 2 usage, 3 the environment cannot be measured,\n"
          "            5 a process is lost or output cannot be written, 6 with --turns: lost its turn\n",
          stream);
}
