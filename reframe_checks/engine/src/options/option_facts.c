/* SPDX-License-Identifier: BSD-3-Clause */
/* option_facts.c: finds options by the names that conditions use (see option_facts.h). */
#include "options/option_facts.h"

#include "options/option_table.h"

#include <string.h>

enum { OPTION_FACTS_NAME = 64 };

/* Of a text with a grammar: its word, or the number that part names. */
static struct fact option_fact_form(const struct option_rule *rule, const char *text, const char *part)
{
    struct grammar_value value;
    if (rule->grammar == NULL || text == NULL || !grammar_read(rule->grammar, text, &value))
        return text == NULL ? fact_unknown() : fact_word(text);
    return part == NULL ? fact_word(value.form->word) : grammar_fact(&value, part);
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
        return fact_integer(integer);
    case OPTION_REAL:
        memcpy(&real, field, sizeof real);
        return fact_real(real);
    case OPTION_CHOICE:
        memcpy(&choice, field, sizeof choice);
        return fact_word(rule->words[choice]);
    case OPTION_TEXT:
        memcpy(&text, field, sizeof text);
        return option_fact_form(rule, text, part);
    case OPTION_FLAG:
        return fact_flag(*(const bool *)field);
    case OPTION_PAIRS:
        break;
    }
    return fact_unknown();
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
        return fact_unknown();
    memcpy(option + 2, name, length);
    option[length + 2] = '\0';
    const size_t r = option_find(option);
    if (r == count)
        return fact_unknown();
    if (part != NULL && strcmp(part, "given") == 0)
        return fact_flag(options->given[r]);
    return option_fact_value(&rules[r], (const char *)options + rules[r].field, part);
}
