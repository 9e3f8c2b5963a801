/* SPDX-License-Identifier: BSD-3-Clause */
/* option_parser.c: reads a command line by a table of options, and prints the table (see option_parser.h). */
#include "options/option_parser.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

const char *option_value(const struct option_rule *rule, char text[OPTION_VALUE])
{
    if (rule->choices == NULL)
        return rule->value;
    text_join(rule->choices, text, OPTION_VALUE);
    return text;
}

size_t option_index(const struct option_rule *rules, size_t count, const char *name)
{
    size_t r = 0;
    while (r < count && strcmp(rules[r].name, name) != 0)
        r++;
    return r;
}

static void *option_field(const struct option_target *target, const struct option_rule *rule)
{
    return (char *)target->fields + rule->field;
}

static int option_set_number(const struct option_target *target, const struct option_rule *rule, const char *text,
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
        memcpy(option_field(target, rule), &integer, sizeof integer);
    else
        memcpy(option_field(target, rule), &real, sizeof real);
    return 0;
}

/* Set a choice to its index, or a text. */
static int option_set_text(const struct option_target *target, const struct option_rule *rule, const char *text,
                           struct fault *fault)
{
    char value[OPTION_VALUE];
    if (*text == '\0')
        return fault_set(fault, FAULT_USAGE, "%s: empty value; give %s", rule->name, option_value(rule, value));
    if (rule->kind == OPTION_TEXT) {
        memcpy(option_field(target, rule), &text, sizeof text);
        return 0;
    }
    const int choice = text_choice(text, rule->choices);
    if (choice < 0)
        return fault_set(fault, FAULT_USAGE, "%s '%s': give one of %s", rule->name, text, option_value(rule, value));
    memcpy(option_field(target, rule), &choice, sizeof choice);
    return 0;
}

static int option_add_pair(struct option_pairs *pairs, const struct option_rule *rule, const char *pair,
                           struct fault *fault)
{
    const size_t key = strcspn(pair, "=");
    if (key == 0 || key > OPTIONS_KEY_LIMIT || pair[key] == '\0')
        return fault_set(fault, FAULT_USAGE, "%s '%.100s': give K=V, K of at most %d characters", rule->name, pair,
                         OPTIONS_KEY_LIMIT);
    for (size_t i = 0; i < pairs->count; i++)
        if (strncmp(pairs->texts[i], pair, key + 1) == 0)
            return fault_set(fault, FAULT_USAGE, "%s: '%.*s' given twice; give it once", rule->name, (int)key, pair);
    pairs->texts[pairs->count++] = pair;
    return 0;
}

int option_set(const struct option_target *target, const struct option_rule *rule, const char *text,
               struct fault *fault)
{
    switch (rule->kind) {
    case OPTION_INTEGER:
    case OPTION_REAL:
        return option_set_number(target, rule, text, fault);
    case OPTION_PAIRS:
        return option_add_pair(option_field(target, rule), rule, text, fault);
    case OPTION_TEXT:
    case OPTION_CHOICE:
        return option_set_text(target, rule, text, fault);
    case OPTION_FLAG:
        break;
    }
    *(bool *)option_field(target, rule) = true;
    return 0;
}

/* Read the option at argv[i] with its values; return the index of the next option. */
static int option_read(const struct option_target *target, int argc, char **argv, int i, struct fault *fault)
{
    const size_t r = option_index(target->rules, target->count, argv[i]);
    if (r == target->count) {
        const bool joined = strncmp(argv[i], "--", 2) == 0 && strchr(argv[i], '=') != NULL;
        fault_set(fault, FAULT_USAGE, "unknown option '%s'; %s", argv[i],
                  joined ? "write '--option value'" : "--help prints all options");
        return argc;
    }
    const struct option_rule *const rule = &target->rules[r];
    if (target->present[r] && rule->kind != OPTION_PAIRS)
        fault_set(fault, FAULT_USAGE, "%s: given twice; give it once", rule->name);
    target->present[r] = true;
    if (rule->kind == OPTION_FLAG) {
        option_set(target, rule, "", fault);
        return i + 1;
    }
    if (i + 1 >= argc || strncmp(argv[i + 1], "--", 2) == 0) {
        char text[OPTION_VALUE];
        const char *const value = option_value(rule, text);
        fault_set(fault, FAULT_USAGE, "%s: value missing; give %s", rule->name, value == NULL ? "a value" : value);
        return argc;
    }
    for (i++; i < argc && strncmp(argv[i], "--", 2) != 0 && fault->code == FAULT_NONE; i++) {
        option_set(target, rule, argv[i], fault);
        if (rule->kind != OPTION_PAIRS)
            return i + 1;
    }
    return i;
}

/* Make room for the pairs of all options, of which argv has at most argc. */
static int option_reserve(const struct option_target *target, int argc, struct fault *fault)
{
    for (size_t r = 0; r < target->count; r++) {
        if (target->rules[r].kind != OPTION_PAIRS)
            continue;
        struct option_pairs *const pairs = option_field(target, &target->rules[r]);
        pairs->texts = calloc((size_t)argc + 1, sizeof *pairs->texts);
        if (pairs->texts == NULL)
            return fault_set(fault, FAULT_SYSTEM, "out of memory for the command line");
    }
    return 0;
}

int option_parse(const struct option_target *target, int argc, char **argv, struct fault *fault)
{
    option_reserve(target, argc, fault);
    for (size_t r = 0; fault->code == FAULT_NONE && r < target->count; r++)
        if (target->rules[r].initial != NULL)
            option_set(target, &target->rules[r], target->rules[r].initial, fault);
    for (int i = 1; fault->code == FAULT_NONE && i < argc;)
        i = option_read(target, argc, argv, i, fault);
    return (int)fault->code;
}

void option_print(const struct option_rule *rules, size_t count, FILE *stream)
{
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
}
