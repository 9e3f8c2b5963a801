/* SPDX-License-Identifier: BSD-3-Clause */
/* grammar.c: parses values by their forms (see grammar.h). */
#include "option_values/grammar.h"

#include "base/text.h"

#include <string.h>

enum { GRAMMAR_MAX_DIGITS = 40 }; /* characters of a number */

static bool grammar_number(const struct grammar_number *number, const char *text, size_t length, int64_t *integer,
                           double *real)
{
    char digits[GRAMMAR_MAX_DIGITS];
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (number->is_integer && text_integer(digits, integer))
        *real = (double)*integer;
    else if (number->is_integer || !text_real(digits, real))
        return false;
    return *real >= number->low && *real <= number->high;
}

static bool grammar_rules_hold(const struct grammar_value *value)
{
    const struct variables variables = {grammar_variable, value};
    for (int i = 0; i < GRAMMAR_RULES && value->form->rules[i].left != NULL; i++)
        if (condition_evaluate(&value->form->rules[i], &variables) == CONDITION_FAILS)
            return false;
    return true;
}

/* Parse the numbers of the form, with separators between them, up to end. */
static bool grammar_numbers(struct grammar_value *value, const char *text, const char *end, char separator)
{
    const struct grammar_form *const form = value->form;
    for (int i = 0; i < GRAMMAR_NUMBERS && form->numbers[i].name != NULL; i++) {
        const bool last = i + 1 == GRAMMAR_NUMBERS || form->numbers[i + 1].name == NULL;
        const char *const next = memchr(text, separator, (size_t)(end - text));
        if (last != (next == NULL))
            return false;
        const char *const stop = last ? end : next;
        if (!grammar_number(&form->numbers[i], text, (size_t)(stop - text), &value->integers[i], &value->reals[i]))
            return false;
        text = stop + 1;
    }
    return grammar_rules_hold(value);
}

bool grammar_read(const struct grammar_form *forms, const char *text, struct grammar_value *value)
{
    const size_t length = strcspn(text, ":");
    for (const struct grammar_form *form = forms; form->name != NULL; form++) {
        if (strlen(form->name) != length || strncmp(form->name, text, length) != 0)
            continue;
        *value = (struct grammar_value){.form = form, .rest = text[length] == ':' ? text + length + 1 : NULL};
        if (form->kind == GRAMMAR_BARE || value->rest == NULL)
            return form->kind == GRAMMAR_BARE && value->rest == NULL;
        return form->kind == GRAMMAR_TUPLE ? grammar_numbers(value, value->rest, value->rest + strlen(value->rest), ':')
                                           : *value->rest != '\0';
    }
    return false;
}

bool grammar_piece(struct grammar_value *value, const char **at)
{
    const char *const end = *at + strcspn(*at, ",");
    if (!grammar_numbers(value, *at, end, '@'))
        return false;
    value->end = value->integers[0] + value->integers[1];
    *at = *end == ',' ? end + 1 : NULL;
    return true;
}

struct variable grammar_variable(const void *context, const char *name)
{
    const struct grammar_value *const value = context;
    for (int i = 0; i < GRAMMAR_NUMBERS && value->form->numbers[i].name != NULL; i++)
        if (strcmp(value->form->numbers[i].name, name) == 0)
            return value->form->numbers[i].is_integer ? variable_integer(value->integers[i])
                                                      : variable_real(value->reals[i]);
    return strcmp(name, "END") == 0 ? variable_integer(value->end) : variable_unknown();
}
