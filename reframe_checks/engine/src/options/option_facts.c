/* SPDX-License-Identifier: BSD-3-Clause */
/* option_facts.c: finds options by the names that conditions use (see option_facts.h). */
#include "options/option_facts.h"

#include "options/option_table.h"

#include <string.h>

enum { OPTION_FACTS_NAME = 64 };

static struct fact option_fact_number(long double number)
{
    return (struct fact){.kind = FACT_NUMBER, .number = number};
}

/* Of a text with a grammar: its word, or the number that part names. */
static struct fact option_fact_form(const struct option_rule *rule, const char *text, const char *part)
{
    struct grammar_value value;
    if (rule->grammar == NULL || text == NULL || !grammar_read(rule->grammar, text, &value))
        return (struct fact){.kind = text == NULL ? FACT_UNKNOWN : FACT_WORD, .word = text};
    return part == NULL ? (struct fact){.kind = FACT_WORD, .word = value.form->word} : grammar_fact(&value, part);
}

static struct fact option_fact_value(const struct option_rule *rule, const char *field, const char *part)
{
    int64_t integer = 0;
    double real = 0.0;
    int choice = 0;
    const char *text = NULL;
    switch (rule->kind) {
    case OPTION_INTEGER:
        memcpy(&integer, field, sizeof integer);
        return option_fact_number((long double)integer);
    case OPTION_REAL:
        memcpy(&real, field, sizeof real);
        return option_fact_number((long double)real);
    case OPTION_CHOICE:
        memcpy(&choice, field, sizeof choice);
        return (struct fact){.kind = FACT_WORD, .word = rule->words[choice]};
    case OPTION_TEXT:
        memcpy(&text, field, sizeof text);
        return option_fact_form(rule, text, part);
    case OPTION_FLAG:
        return (struct fact){.kind = FACT_FLAG, .flag = *(const bool *)field};
    case OPTION_PAIRS:
        break;
    }
    return (struct fact){.kind = FACT_UNKNOWN};
}

struct fact option_fact(const void *from, const char *name)
{
    const struct options *const options = from;
    size_t count = 0;
    const struct option_rule *const rules = option_table(&count);
    char option[OPTION_FACTS_NAME] = "--";
    const size_t length = strcspn(name, ".");
    const char *const part = name[length] == '.' ? name + length + 1 : NULL;
    if (length + 3 > sizeof option)
        return (struct fact){.kind = FACT_UNKNOWN};
    memcpy(option + 2, name, length);
    option[length + 2] = '\0';
    const size_t r = option_find(option);
    if (r == count)
        return (struct fact){.kind = FACT_UNKNOWN};
    if (part != NULL && strcmp(part, "given") == 0)
        return (struct fact){.kind = FACT_FLAG, .flag = options->given[r]};
    return option_fact_value(&rules[r], (const char *)options + rules[r].field, part);
}
