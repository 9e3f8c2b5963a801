/* SPDX-License-Identifier: BSD-3-Clause */
/* describe_options.c: the table of options as JSON (see describe.h). */
#include "describe/describe_options.h"

#include "base/text.h"
#include "describe/describe_relations.h"
#include "options/option_table.h"
#include "options/options.h"

#include <string.h>

static void describe_text(const char *key, const char *text, struct json *json)
{
    if (text == NULL)
        json_null(json, key);
    else
        json_text(json, key, text);
}

static void describe_limit(const char *key, double limit, bool whole, struct json *json)
{
    if (!whole)
        json_real(json, key, limit);
    else
        json_integer(json, key, limit >= GRAMMAR_HIGHEST ? INT64_MAX : (int64_t)limit);
}

static void describe_numbers(const struct grammar_form *form, struct json *json)
{
    json_open(json, "numbers", '[');
    for (int i = 0; i < GRAMMAR_NUMBERS && form->numbers[i].name != NULL && form->kind != GRAMMAR_REST; i++) {
        const struct grammar_number *const number = &form->numbers[i];
        json_open(json, NULL, '{');
        json_text(json, "name", number->name);
        json_text(json, "kind", number->whole ? "integer" : "real");
        describe_limit("low", number->low, number->whole, json);
        describe_limit("high", number->high, number->whole, json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void describe_form(const struct grammar_form *form, struct json *json)
{
    static const char *const kinds[] = {
        [GRAMMAR_BARE] = "word", [GRAMMAR_TUPLE] = "numbers", [GRAMMAR_PIECES] = "pieces", [GRAMMAR_REST] = "text"};
    json_open(json, NULL, '{');
    json_text(json, "word", form->word);
    json_text(json, "kind", kinds[form->kind]);
    describe_numbers(form, json);
    if (form->kind == GRAMMAR_PIECES)
        json_integer(json, "most", form->most);
    json_open(json, "rules", '[');
    for (int i = 0; i < GRAMMAR_RULES && form->rules[i].kind != CONDITION_NONE; i++)
        describe_condition(NULL, &form->rules[i], json);
    json_close(json, ']');
    json_close(json, '}');
}

static void describe_forms(const struct grammar_form *forms, struct json *json)
{
    if (forms == NULL)
        return;
    json_open(json, "forms", '[');
    for (; forms->word != NULL; forms++)
        describe_form(forms, json);
    json_close(json, ']');
}

/* As JSON of the option's kind. */
static void describe_default(const struct option_rule *rule, struct json *json)
{
    int64_t integer = 0;
    double real = 0.0;
    if (rule->kind == OPTION_INTEGER && text_integer(rule->initial, &integer))
        json_integer(json, "default", integer);
    else if (rule->kind == OPTION_REAL && text_real(rule->initial, &real))
        json_real(json, "default", real);
    else if (rule->kind == OPTION_FLAG)
        json_boolean(json, "default", false);
    else
        describe_text("default", rule->initial, json);
}

static void describe_option(const struct option_rule *rule, struct json *json)
{
    static const char *const kinds[] = {[OPTION_TEXT] = "text",       [OPTION_CHOICE] = "choice",
                                        [OPTION_INTEGER] = "integer", [OPTION_REAL] = "real",
                                        [OPTION_FLAG] = "flag",       [OPTION_PAIRS] = "pairs"};
    const bool number = rule->kind == OPTION_INTEGER || rule->kind == OPTION_REAL;
    json_open(json, NULL, '{');
    json_text(json, "name", rule->name + 2);
    json_text(json, "kind", kinds[rule->kind]);
    describe_default(rule, json);
    if (number) {
        describe_limit("low", rule->low, rule->kind == OPTION_INTEGER, json);
        describe_limit("high", rule->high, rule->kind == OPTION_INTEGER, json);
    }
    if (rule->words != NULL) {
        json_open(json, "choices", '[');
        for (int i = 0; rule->words[i] != NULL; i++)
            json_text(json, NULL, rule->words[i]);
        json_close(json, ']');
    }
    describe_forms(rule->grammar, json);
    describe_text("value", rule->value, json);
    describe_text("help", rule->help, json);
    json_boolean(json, "hidden", rule->help == NULL);
    json_close(json, '}');
}

void describe_options(struct json *json)
{
    size_t count = 0;
    const struct option_rule *const rules = option_table(&count);
    json_open(json, "options", '[');
    for (size_t r = 0; r < count; r++)
        describe_option(&rules[r], json);
    json_close(json, ']');
    json_open(json, "limits", '{');
    json_integer(json, "sizes", SIZES_LIMIT);
    json_integer(json, "header_key", OPTIONS_KEY_LIMIT);
    json_close(json, '}');
}
