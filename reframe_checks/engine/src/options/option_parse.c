/* SPDX-License-Identifier: BSD-3-Clause */
/* option_parse.c: parses the command line by the option table (see options.h). */
#include "options/option_parse.h"

#include "base/text.h"
#include "options/option_table.h"

#include <stdlib.h>
#include <string.h>

static void *options_field(struct options *options, const struct option_rule *rule)
{
    return (char *)options + rule->field;
}

static int options_set_number(struct options *options, const struct option_rule *rule, const char *word,
                              struct fault *fault)
{
    int64_t integer = 0;
    double real = 0.0;
    const bool whole = rule->kind == OPTION_INTEGER;
    const bool read = whole ? text_integer(word, &integer) : text_real(word, &real);
    if (whole)
        real = (double)integer;
    if (!read || real < rule->low || real > rule->high)
        return fault_set(fault, FAULT_USAGE, "%s '%s': give a%s number from %.10g to %.10g", rule->name, word,
                         whole ? " whole" : "", rule->low, rule->high);
    if (whole)
        memcpy(options_field(options, rule), &integer, sizeof integer);
    else
        memcpy(options_field(options, rule), &real, sizeof real);
    return 0;
}

/* A value that the contract knows but this version has not is an error of its own kind. */
static int options_set_word(struct options *options, const struct option_rule *rule, const char *word,
                            struct fault *fault)
{
    if (*word == '\0')
        return fault_set(fault, FAULT_USAGE, "%s: an empty value; give %s", rule->name, rule->choices);
    if (rule->kind == OPTION_CHOICE && !text_is_choice(word, rule->choices))
        return fault_set(fault, FAULT_USAGE, "%s '%s': give one of %s", rule->name, word, rule->choices);
    if (rule->now != NULL && !text_is_choice(word, rule->now))
        return fault_set(fault, FAULT_USAGE, "%s '%s' is not in this version; give %s", rule->name, word, rule->now);
    memcpy(options_field(options, rule), &word, sizeof word);
    return 0;
}

static int options_add_pair(struct options *options, const char *pair, struct fault *fault)
{
    const size_t key = strcspn(pair, "=");
    if (key == 0 || key > OPTIONS_KEY_LIMIT || pair[key] == '\0')
        return fault_set(fault, FAULT_USAGE, "--append-header '%.100s': give K=V, K of at most %d characters", pair,
                         OPTIONS_KEY_LIMIT);
    for (size_t i = 0; i < options->launch_count; i++)
        if (strncmp(options->launch[i], pair, key + 1) == 0)
            return fault_set(fault, FAULT_USAGE, "--append-header: '%.*s' is given twice", (int)key, pair);
    options->launch[options->launch_count++] = pair;
    return 0;
}

static int options_set(struct options *options, const struct option_rule *rule, const char *word, struct fault *fault)
{
    switch (rule->kind) {
    case OPTION_INTEGER:
    case OPTION_REAL:
        return options_set_number(options, rule, word, fault);
    case OPTION_PAIRS:
        return options_add_pair(options, word, fault);
    case OPTION_TEXT:
    case OPTION_CHOICE:
        return options_set_word(options, rule, word, fault);
    case OPTION_FLAG:
        break;
    }
    if (rule->now != NULL)
        return fault_set(fault, FAULT_USAGE, "%s is not in this version; leave it out", rule->name);
    *(bool *)options_field(options, rule) = true;
    return 0;
}

/* The position of the option in the table, count when there is none. */
static size_t options_find(const struct option_rule *rules, size_t count, const char *word)
{
    size_t r = 0;
    while (r < count && strcmp(rules[r].name, word) != 0)
        r++;
    return r;
}

/* Reads the option at argv[i] with its values; returns the position of the next. */
static int options_read(int argc, char **argv, int i, struct options *options, bool *given, struct fault *fault)
{
    size_t count = 0;
    const struct option_rule *const rules = option_table(&count);
    const size_t r = options_find(rules, count, argv[i]);
    if (r == count) {
        const bool joined = strncmp(argv[i], "--", 2) == 0 && strchr(argv[i], '=') != NULL;
        fault_set(fault, FAULT_USAGE, "unknown option '%s'; %s", argv[i],
                  joined ? "write '--option value'" : "--help prints all options");
        return argc;
    }
    const struct option_rule *const rule = &rules[r];
    if (given[r] && rule->kind != OPTION_PAIRS)
        fault_set(fault, FAULT_USAGE, "%s is given twice; give it once", rule->name);
    given[r] = true;
    if (rule->kind == OPTION_FLAG) {
        options_set(options, rule, "", fault);
        return i + 1;
    }
    if (i + 1 >= argc || strncmp(argv[i + 1], "--", 2) == 0) {
        fault_set(fault, FAULT_USAGE, "%s needs a value: %s", rule->name, rule->choices);
        return argc;
    }
    for (i++; i < argc && strncmp(argv[i], "--", 2) != 0 && fault->code == FAULT_NONE; i++) {
        options_set(options, rule, argv[i], fault);
        if (rule->kind != OPTION_PAIRS)
            return i + 1;
    }
    return i;
}

static bool options_given(const bool *given, const char *name)
{
    size_t count = 0;
    const struct option_rule *const rules = option_table(&count);
    return given[options_find(rules, count, name)];
}

/* What no single option can see. */
static int options_check_together(struct options *options, const bool *given, struct fault *fault)
{
    if (arrival_parse(options->arrival_text, options->arrival_spread_us, &options->arrival, fault) ||
        rank_order_parse(options->rank_order_text, &options->rank_order, fault))
        return (int)fault->code;
    if (element_is_derived(options->datatype)) {
        if (element_parse(options->datatype, &options->element, fault))
            return (int)fault->code;
    } else if (!text_is_choice(options->datatype, "auto|byte|int|float|double")) {
        return fault_set(fault, FAULT_USAGE,
                         "--datatype '%.100s': give one of auto|byte|int|float|double, vector:... or indexed:...",
                         options->datatype);
    }
    if (options->help || options->version || options->list || options->check_timer)
        return 0;
    if (options->operations == NULL)
        return fault_set(fault, FAULT_USAGE, "--operations is missing; --list prints what there is");
    if (options->output == NULL)
        return fault_set(fault, FAULT_USAGE, "--output is missing; name the file to make");
    if ((options->alignment & (options->alignment - 1)) != 0)
        return fault_set(fault, FAULT_USAGE, "--alignment %lld: give a power of two", (long long)options->alignment);
    if (options->min_valid > options->max_valid || options->min_valid > options->max_runs)
        return fault_set(fault, FAULT_USAGE,
                         "--min-valid %lld is more than --max-valid or --max-runs allows; lower it or raise those",
                         (long long)options->min_valid);
    if (strcmp(options->scheme, "round-time") == 0 && !options_given(given, "--stop"))
        options->stop = "time";
    if (options_given(given, "--time-budget") && strcmp(options->stop, "time") != 0)
        return fault_set(fault, FAULT_USAGE, "--time-budget works with --stop time only; add that or leave it out");
    if (options->arrival.spread_ns * 2 > (int64_t)(options->max_slot_us * 1e3))
        return fault_set(fault, FAULT_USAGE, "--arrival: the spread is above half of --max-slot-us %.10g; raise that",
                         options->max_slot_us);
    if (options->test_clock_text != NULL &&
        synthetic_clock_parse(options->test_clock_text, &options->test_clock, fault))
        return (int)fault->code;
    return options->size_text == NULL ? 0 : sizes_parse(options->size_text, &options->sizes, fault);
}

int options_parse(int argc, char **argv, struct options *options, struct fault *fault)
{
    size_t count = 0;
    const struct option_rule *const rules = option_table(&count);
    *options = (struct options){0};
    options->launch = calloc((size_t)argc + 1, sizeof *options->launch);
    bool *const given = calloc(count + 1, sizeof *given);
    if (options->launch == NULL || given == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for the command line");
    for (size_t r = 0; fault->code == FAULT_NONE && r < count; r++)
        if (rules[r].initial != NULL)
            options_set(options, &rules[r], rules[r].initial, fault);
    for (int i = 1; fault->code == FAULT_NONE && i < argc;)
        i = options_read(argc, argv, i, options, given, fault);
    if (fault->code == FAULT_NONE)
        options_check_together(options, given, fault);
    free(given);
    return (int)fault->code;
}

void options_free(struct options *options)
{
    sizes_free(&options->sizes);
    free(options->launch);
    options->launch = NULL;
}
