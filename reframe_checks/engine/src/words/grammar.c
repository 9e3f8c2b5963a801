/* SPDX-License-Identifier: BSD-3-Clause */
/* grammar.c: reads values by their forms (see grammar.h). */
#include "words/grammar.h"

#include "base/text.h"

#include <string.h>

enum { GRAMMAR_LONGEST = 40 }; /* characters of a number */

static bool grammar_number(const struct grammar_number *number, const char *text, size_t length, int64_t *whole,
                           double *real)
{
    char word[GRAMMAR_LONGEST];
    if (length == 0 || length >= sizeof word)
        return false;
    memcpy(word, text, length);
    word[length] = '\0';
    if (number->whole && text_integer(word, whole))
        *real = (double)*whole;
    else if (number->whole || !text_real(word, real))
        return false;
    return *real >= number->low && *real <= number->high;
}

static bool grammar_rules_hold(const struct grammar_value *value)
{
    const struct facts facts = {grammar_fact, value};
    for (int i = 0; i < GRAMMAR_RULES && value->form->rules[i].left != NULL; i++)
        if (condition_ask(&value->form->rules[i], &facts) == CONDITION_FAILS)
            return false;
    return true;
}

/* As many numbers as the form has, apart by the separator, up to end. */
static bool grammar_numbers(struct grammar_value *value, const char *text, const char *end, char separator)
{
    const struct grammar_form *const form = value->form;
    for (int i = 0; i < GRAMMAR_NUMBERS && form->numbers[i].name != NULL; i++) {
        const bool last = i + 1 == GRAMMAR_NUMBERS || form->numbers[i + 1].name == NULL;
        const char *const next = memchr(text, separator, (size_t)(end - text));
        if (last != (next == NULL))
            return false;
        const char *const stop = last ? end : next;
        if (!grammar_number(&form->numbers[i], text, (size_t)(stop - text), &value->whole[i], &value->real[i]))
            return false;
        text = stop + 1;
    }
    return grammar_rules_hold(value);
}

bool grammar_read(const struct grammar_form *forms, const char *text, struct grammar_value *value)
{
    const size_t length = strcspn(text, ":");
    for (const struct grammar_form *form = forms; form->word != NULL; form++) {
        if (strlen(form->word) != length || strncmp(form->word, text, length) != 0)
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
    value->end = value->whole[0] + value->whole[1];
    *at = *end == ',' ? end + 1 : NULL;
    return true;
}

struct fact grammar_fact(const void *from, const char *name)
{
    const struct grammar_value *const value = from;
    for (int i = 0; i < GRAMMAR_NUMBERS && value->form->numbers[i].name != NULL; i++)
        if (strcmp(value->form->numbers[i].name, name) == 0)
            return value->form->numbers[i].whole ? fact_integer(value->whole[i]) : fact_real(value->real[i]);
    return strcmp(name, "END") == 0 ? fact_integer(value->end) : fact_unknown();
}
