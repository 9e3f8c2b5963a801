/* SPDX-License-Identifier: BSD-3-Clause */
/* command_line.c: checks and prints the options, and finds them by name (see command_line.h). */
#include "options/command_line.h"

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

static struct option_target options_target(struct options *options)
{
    struct option_target target = {.fields = options, .present = options->present};
    target.rules = option_table(&target.count);
    return target;
}

/* Set the defaults that follow from other options. */
static void options_imply(struct options *options, struct fault *fault)
{
    const struct variables variables = {option_variable, options};
    const struct option_target target = options_target(options);
    size_t count = 0;
    const struct implication *const implications = implication_table(&count);
    for (size_t i = 0; i < count; i++) {
        const size_t r = option_find(implications[i].option);
        if (!options->present[r] && condition_evaluate(&implications[i].when, &variables) == CONDITION_HOLDS)
            option_set(&target, &target.rules[r], implications[i].value, fault);
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
    option_table(&count);
    *options = (struct options){.present = calloc(count + 1, sizeof *options->present)};
    const struct option_target target = options_target(options);
    if (options->present == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the command line");
    if (option_parse(&target, argc, argv, fault) == 0)
        options_check_together(options, fault);
    return (int)fault->code;
}

void options_free(struct options *options)
{
    sizes_free(&options->sizes);
    free(options->launch.texts);
    free(options->present);
    options->launch = (struct option_pairs){0};
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
    option_print(rules, count, stream);
    fputs("\nexit codes: 0 measured, 2 usage, 3 the environment cannot be measured, 4 wrong data,\n"
          "            5 MPI error or output cannot be written,\n"
          "            6 with --turns: this launch has lost its turn\n",
          stream);
}
