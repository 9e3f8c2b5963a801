/* SPDX-License-Identifier: BSD-3-Clause */
/* command_line.c: parses and prints the options, and finds them by name (see command_line.h). */
#include "options/command_line.h"

#include "base/text.h"
#include "options/options.h"
#include "options/relations.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_NAME_LIMIT = 64 };

/* Return the name of a text with forms, or the number that part names. */
static struct variable option_variable_form(const struct option_rule *rule, const char *text, const char *part)
{
    struct grammar_value value;
    if (rule->grammar == NULL || text == NULL || !grammar_read(rule->grammar, text, &value))
        return text == NULL ? variable_unknown() : variable_text(text);
    return part == NULL ? variable_text(value.form->name) : grammar_variable(&value, part);
}

static struct variable option_variable_value(const struct option_rule *rule, const char *field, const char *part)
{
    int64_t integer = 0;
    double real = 0.0;
    int choice = 0;
    const char *text = NULL;
    switch (rule->kind) {
    case OPTION_INTEGER:
        memcpy(&integer, field, sizeof integer);
        return variable_integer(integer);
    case OPTION_REAL:
        memcpy(&real, field, sizeof real);
        return variable_real(real);
    case OPTION_CHOICE:
        memcpy(&choice, field, sizeof choice);
        return variable_text(rule->choices[choice]);
    case OPTION_TEXT:
        memcpy(&text, field, sizeof text);
        return option_variable_form(rule, text, part);
    case OPTION_FLAG:
        return variable_flag(*(const bool *)field);
    case OPTION_PAIRS:
        break;
    }
    return variable_unknown();
}

struct variable option_variable(const void *context, const char *name)
{
    const struct options *const options = context;
    size_t count = 0;
    const struct option_rule *const rules = option_table(&count);
    char option[OPTION_NAME_LIMIT] = "--";
    const size_t length = strcspn(name, ".");
    const char *const part = name[length] == '.' ? name + length + 1 : NULL;
    if (length + 3 > sizeof option)
        return variable_unknown();
    memcpy(option + 2, name, length);
    option[length + 2] = '\0';
    const size_t r = option_find(option);
    if (r == count)
        return variable_unknown();
    if (part != NULL && strcmp(part, "given") == 0)
        return variable_flag(options->present[r]);
    return option_variable_value(&rules[r], (const char *)options + rules[r].field, part);
}

static void *options_field(struct options *options, const struct option_rule *rule)
{
    return (char *)options + rule->field;
}

static int options_set_number(struct options *options, const struct option_rule *rule, const char *text,
                              struct fault *fault)
{
    int64_t integer = 0;
    double real = 0.0;
    const bool is_integer = rule->kind == OPTION_INTEGER;
    const bool read = is_integer ? text_integer(text, &integer) : text_real(text, &real);
    if (is_integer)
        real = (double)integer;
    if (!read || real < rule->low || real > rule->high)
        return fault_set(fault, FAULT_USAGE, "%s '%s': give a%s from %.10g to %.10g", rule->name, text,
                         is_integer ? "n integer" : " number", rule->low, rule->high);
    if (is_integer)
        memcpy(options_field(options, rule), &integer, sizeof integer);
    else
        memcpy(options_field(options, rule), &real, sizeof real);
    return 0;
}

/* Set a choice to its index, or a text. */
static int options_set_text(struct options *options, const struct option_rule *rule, const char *text,
                            struct fault *fault)
{
    char value[OPTION_VALUE];
    if (*text == '\0')
        return fault_set(fault, FAULT_USAGE, "%s: empty value; give %s", rule->name, option_value(rule, value));
    if (rule->kind == OPTION_TEXT) {
        memcpy(options_field(options, rule), &text, sizeof text);
        return 0;
    }
    const int choice = text_choice(text, rule->choices);
    if (choice < 0)
        return fault_set(fault, FAULT_USAGE, "%s '%s': give one of %s", rule->name, text, option_value(rule, value));
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
            return fault_set(fault, FAULT_USAGE, "--append-header: '%.*s' given twice; give it once", (int)key, pair);
    options->launch[options->launch_count++] = pair;
    return 0;
}

static int options_set(struct options *options, const struct option_rule *rule, const char *text, struct fault *fault)
{
    switch (rule->kind) {
    case OPTION_INTEGER:
    case OPTION_REAL:
        return options_set_number(options, rule, text, fault);
    case OPTION_PAIRS:
        return options_add_pair(options, text, fault);
    case OPTION_TEXT:
    case OPTION_CHOICE:
        return options_set_text(options, rule, text, fault);
    case OPTION_FLAG:
        break;
    }
    *(bool *)options_field(options, rule) = true;
    return 0;
}

/* Read the option at argv[i] with its values; return the index of the next option. */
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
    if (options->present[r] && rule->kind != OPTION_PAIRS)
        fault_set(fault, FAULT_USAGE, "%s: given twice; give it once", rule->name);
    options->present[r] = true;
    if (rule->kind == OPTION_FLAG) {
        options_set(options, rule, "", fault);
        return i + 1;
    }
    if (i + 1 >= argc || strncmp(argv[i + 1], "--", 2) == 0) {
        char value[OPTION_VALUE];
        fault_set(fault, FAULT_USAGE, "%s: value missing; give %s", rule->name, option_value(rule, value));
        return argc;
    }
    for (i++; i < argc && strncmp(argv[i], "--", 2) != 0 && fault->code == FAULT_NONE; i++) {
        options_set(options, rule, argv[i], fault);
        if (rule->kind != OPTION_PAIRS)
            return i + 1;
    }
    return i;
}

/* Set the defaults that follow from other options. */
static void options_imply(struct options *options, struct fault *fault)
{
    const struct variables variables = {option_variable, options};
    size_t rules = 0, count = 0;
    const struct option_rule *const table = option_table(&rules);
    const struct implication *const implications = implication_table(&count);
    for (size_t i = 0; i < count; i++) {
        const size_t r = option_find(implications[i].option);
        if (!options->present[r] && condition_evaluate(&implications[i].when, &variables) == CONDITION_HOLDS)
            options_set(options, &table[r], implications[i].value, fault);
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

static int options_read_turns(struct options *options, struct fault *fault)
{
    const struct turn_spec *const turn = &options->turn;
    if (options->turns == NULL || turn_spec_check_name(options->turns, fault) ||
        turn_spec_parse(options->turn_text, &options->turn, fault))
        return (int)fault->code;
    if (options->turn_last >= turn->residents)
        return fault_set(fault, FAULT_USAGE, "--turn-last %lld: with %d residents give -1 to %d",
                         (long long)options->turn_last, turn->residents, turn->residents - 1);
    if (options->passes % options->turn_passes != 0)
        return fault_set(fault, FAULT_USAGE, "--turn-passes %lld: give a divisor of --passes %lld",
                         (long long)options->turn_passes, (long long)options->passes);
    return 0;
}

bool options_print_only(const struct options *options)
{
    return options->help || options->version || options->list || options->describe != DESCRIBE_NOTHING;
}

/* Check everything that concerns more than one option. */
static int options_check_together(struct options *options, struct fault *fault)
{
    const struct variables variables = {option_variable, options};
    size_t count = 0;
    const struct relation *const relations = relation_table(&count);
    if (arrival_parse(options->arrival_text, options->arrival_spread_us, &options->arrival, fault) ||
        rank_order_parse(options->rank_order_text, &options->rank_order, fault) ||
        groups_parse(options->groups_text, &options->groups, fault) || options_read_datatype(options, fault))
        return (int)fault->code;
    if (options_print_only(options) || options->check_timer)
        return 0;
    options_imply(options, fault);
    if (relation_check(relations, count, RELATION_OPTIONS, &variables, fault))
        return (int)fault->code;
    if (options_read_turns(options, fault))
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
    options->present = calloc(count + 1, sizeof *options->present);
    if (options->launch == NULL || options->present == NULL)
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
    free(options->present);
    options->launch = NULL;
    options->present = NULL;
}

/* "--clock-sync" as "clock_sync". */
static void options_key(const struct option_rule *rule, char key[32])
{
    size_t i = 0;
    for (const char *c = rule->name + 2; *c != '\0' && i < 31; c++)
        key[i++] = *c == '-' ? '_' : *c;
    key[i] = '\0';
}

void options_write(const struct options *options, struct json *json)
{
    size_t count = 0;
    const struct option_rule *const rules = option_table(&count);
    for (size_t r = 0; r < count; r++) {
        const char *const field = (const char *)options + rules[r].field;
        const char *text = NULL;
        int64_t integer = 0;
        int choice = 0;
        double real = 0.0;
        char key[32];
        options_key(&rules[r], key);
        switch (rules[r].kind) {
        case OPTION_CHOICE:
            memcpy(&choice, field, sizeof choice);
            json_text(json, key, rules[r].choices[choice]);
            break;
        case OPTION_TEXT:
            memcpy(&text, field, sizeof text);
            if (strcmp(key, "operations") != 0 && strcmp(key, "sizes") != 0)
                json_text(json, key, text);
            break;
        case OPTION_INTEGER:
            memcpy(&integer, field, sizeof integer);
            json_integer(json, key, integer);
            break;
        case OPTION_REAL:
            memcpy(&real, field, sizeof real);
            json_real(json, key, real);
            break;
        case OPTION_FLAG:
            json_boolean(json, key, *(const bool *)field);
            break;
        case OPTION_PAIRS: /* the member "launch" of the header */
            break;
        }
    }
}

void options_help(FILE *stream)
{
    size_t count = 0;
    const struct option_rule *const rules = option_table(&count);
    fputs("isochron-engine: measures MPI operations with synchronised starts.\n\n"
          "usage: mpiexec -n N isochron-engine --operations LIST --sizes SIZES --output FILE [option value ...]\n\n"
          "example:\n"
          "  mpiexec -n 2 isochron-engine --operations bcast,allreduce --sizes 8:64KiB:x8 --output run.jsonl\n\n"
          "options:\n",
          stream);
    for (size_t r = 0; r < count; r++) {
        const struct option_rule *const rule = &rules[r];
        if (rule->help == NULL)
            continue;
        char text[OPTION_VALUE];
        const char *const value = option_value(rule, text);
        fprintf(stream, "  %s%s%s\n      %s", rule->name, value == NULL ? "" : " ", value == NULL ? "" : value,
                rule->help);
        if (rule->initial != NULL)
            fprintf(stream, " [%s]", rule->initial);
        fputc('\n', stream);
    }
    fputs("\nexit codes: 0 measured, 2 usage, 3 the environment cannot be measured, 4 wrong data,\n"
          "            5 MPI error or output cannot be written,\n"
          "            6 with --turns: this launch has lost its turn\n",
          stream);
}
