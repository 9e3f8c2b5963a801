/* SPDX-License-Identifier: BSD-3-Clause */
/* option_parse.c: parses the command line by the option table (see options.h). */
#include "options/option_parse.h"

#include "base/text.h"
#include "options/option_facts.h"
#include "options/option_table.h"
#include "options/relation_table.h"

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

/* A choice becomes the place of its word; a text stays. */
static int options_set_word(struct options *options, const struct option_rule *rule, const char *word,
                            struct fault *fault)
{
    char value[OPTION_VALUE];
    if (*word == '\0')
        return fault_set(fault, FAULT_USAGE, "%s: an empty value; give %s", rule->name, option_value(rule, value));
    if (rule->kind == OPTION_TEXT) {
        memcpy(options_field(options, rule), &word, sizeof word);
        return 0;
    }
    const int choice = text_choice(word, rule->words);
    if (choice < 0)
        return fault_set(fault, FAULT_USAGE, "%s '%s': give one of %s", rule->name, word, option_value(rule, value));
    memcpy(options_field(options, rule), &choice, sizeof choice);
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
    *(bool *)options_field(options, rule) = true;
    return 0;
}

/* Reads the option at argv[i] with its values; returns the position of the next. */
static int options_read(int argc, char **argv, int i, struct options *options, struct fault *fault)
{
    size_t count = 0;
    const struct option_rule *const rules = option_table(&count);
    const size_t r = option_find(argv[i]);
    if (r == count) {
        const bool joined = strncmp(argv[i], "--", 2) == 0 && strchr(argv[i], '=') != NULL;
        fault_set(fault, FAULT_USAGE, "unknown option '%s'; %s", argv[i],
                  joined ? "write '--option value'" : "--help prints all options");
        return argc;
    }
    const struct option_rule *const rule = &rules[r];
    if (options->given[r] && rule->kind != OPTION_PAIRS)
        fault_set(fault, FAULT_USAGE, "%s is given twice; give it once", rule->name);
    options->given[r] = true;
    if (rule->kind == OPTION_FLAG) {
        options_set(options, rule, "", fault);
        return i + 1;
    }
    if (i + 1 >= argc || strncmp(argv[i + 1], "--", 2) == 0) {
        char value[OPTION_VALUE];
        fault_set(fault, FAULT_USAGE, "%s needs a value: %s", rule->name, option_value(rule, value));
        return argc;
    }
    for (i++; i < argc && strncmp(argv[i], "--", 2) != 0 && fault->code == FAULT_NONE; i++) {
        options_set(options, rule, argv[i], fault);
        if (rule->kind != OPTION_PAIRS)
            return i + 1;
    }
    return i;
}

/* What one option says of the default of another. */
static void options_imply(struct options *options, struct fault *fault)
{
    const struct facts facts = {option_fact, options};
    size_t rules = 0, count = 0;
    const struct option_rule *const table = option_table(&rules);
    const struct implication *const implications = implication_table(&count);
    for (size_t i = 0; i < count; i++) {
        const size_t r = option_find(implications[i].option);
        if (!options->given[r] && condition_ask(&implications[i].when, &facts) == CONDITION_HOLDS)
            options_set(options, &table[r], implications[i].word, fault);
    }
}

static int options_read_datatype(struct options *options, struct fault *fault)
{
    struct grammar_value value;
    if (element_is_derived(options->datatype))
        return element_parse(options->datatype, &options->element, fault);
    if (grammar_read(ELEMENT_FORMS, options->datatype, &value))
        return 0;
    return fault_set(fault, FAULT_USAGE,
                     "--datatype '%.100s': give one of auto|byte|int|float|double, vector:... or indexed:...",
                     options->datatype);
}

bool options_print_only(const struct options *options)
{
    return options->help || options->version || options->list || options->describe != DESCRIBE_NOTHING;
}

/* What no single option can see. */
static int options_check_together(struct options *options, struct fault *fault)
{
    const struct facts facts = {option_fact, options};
    size_t count = 0;
    const struct relation *const relations = relation_table(&count);
    if (arrival_parse(options->arrival_text, options->arrival_spread_us, &options->arrival, fault) ||
        rank_order_parse(options->rank_order_text, &options->rank_order, fault) ||
        options_read_datatype(options, fault))
        return (int)fault->code;
    if (options_print_only(options) || options->check_timer)
        return 0;
    options_imply(options, fault);
    if (relation_check(relations, count, RELATION_OPTIONS, &facts, fault))
        return (int)fault->code;
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
    options->given = calloc(count + 1, sizeof *options->given);
    if (options->launch == NULL || options->given == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for the command line");
    for (size_t r = 0; fault->code == FAULT_NONE && r < count; r++)
        if (rules[r].initial != NULL)
            options_set(options, &rules[r], rules[r].initial, fault);
    for (int i = 1; fault->code == FAULT_NONE && i < argc;)
        i = options_read(argc, argv, i, options, fault);
    if (fault->code == FAULT_NONE)
        options_check_together(options, fault);
    return (int)fault->code;
}

void options_free(struct options *options)
{
    sizes_free(&options->sizes);
    free(options->launch);
    free(options->given);
    options->launch = NULL;
    options->given = NULL;
}
