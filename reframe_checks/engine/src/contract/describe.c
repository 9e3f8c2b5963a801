/* SPDX-License-Identifier: BSD-3-Clause */
/* describe.c: the document, part by part (see describe.h). */
#include "contract/describe.h"

#include "base/text.h"
#include "operation/datatype.h"
#include "operation/operation.h"
#include "options/options.h"
#include "options/relations.h"

#include <string.h>

static void describe_right(const struct condition *condition, struct json *json)
{
    switch (condition->kind) {
    case CONDITION_IS:
    case CONDITION_IS_NOT:
        json_open(json, "words", '[');
        for (int i = 0; i < CONDITION_VALUES && condition->values[i] != NULL; i++)
            json_text(json, NULL, condition->values[i]);
        json_close(json, ']');
        return;
    case CONDITION_AT_MOST:
    case CONDITION_BELOW:
    case CONDITION_AT_LEAST:
    case CONDITION_MULTIPLE_OF:
        if (condition->times != NULL)
            json_text(json, "times", condition->times);
        if (condition->right != NULL)
            json_text(json, "right", condition->right);
        else
            json_integer(json, "right", (int64_t)condition->number);
        if (condition->factor != 0.0)
            json_real(json, "factor", condition->factor);
        return;
    case CONDITION_NONE:
    case CONDITION_TRUE:
    case CONDITION_FALSE:
    case CONDITION_POWER_OF_TWO:
        return;
    }
}

/* {"left": variable, "is": "at-most", "times": variable, "right": variable or number, "factor": f}; or "words". */
static void describe_condition(const char *key, const struct condition *condition, struct json *json)
{
    json_open(json, key, '{');
    json_text(json, "left", condition->left);
    json_text(json, "is", condition_name(condition->kind));
    describe_right(condition, json);
    json_close(json, '}');
}

static void describe_relation(const struct relation *relation, struct json *json)
{
    static const char *const scopes[] = {[RELATION_OPTIONS] = "options",
                                         [RELATION_LAUNCH] = "launch",
                                         [RELATION_OPERATION] = "operation",
                                         [RELATION_CASE] = "case"};
    json_open(json, NULL, '{');
    json_text(json, "name", relation->name);
    json_text(json, "scope", scopes[relation->scope]);
    json_text(json, "effect", relation->effect == RELATION_REFUSED ? "refused" : "not-supported");
    json_open(json, "when", '[');
    for (int i = 0; i < RELATION_CONDITIONS && relation->when[i].kind != CONDITION_NONE; i++)
        describe_condition(NULL, &relation->when[i], json);
    json_close(json, ']');
    describe_condition("require", &relation->require, json);
    json_text(json, "text", relation->text);
    json_close(json, '}');
}

static void describe_relations(struct json *json)
{
    size_t count = 0;
    const struct implication *const implications = implication_table(&count);
    json_open(json, "implications", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(json, NULL, '{');
        describe_condition("when", &implications[i].when, json);
        json_text(json, "option", implications[i].option + 2);
        json_text(json, "default", implications[i].value);
        json_close(json, '}');
    }
    json_close(json, ']');
    const struct relation *const relations = relation_table(&count);
    json_open(json, "relations", '[');
    for (size_t i = 0; i < count; i++)
        describe_relation(&relations[i], json);
    json_close(json, ']');
}

static void describe_limit(const char *key, double limit, bool is_integer, struct json *json)
{
    if (!is_integer)
        json_real(json, key, limit);
    else
        json_integer(json, key, limit >= GRAMMAR_MAX_INTEGER ? INT64_MAX : (int64_t)limit);
}

static void describe_numbers(const struct grammar_form *form, struct json *json)
{
    json_open(json, "numbers", '[');
    for (int i = 0; i < GRAMMAR_NUMBERS && form->numbers[i].name != NULL && form->kind != GRAMMAR_REST; i++) {
        const struct grammar_number *const number = &form->numbers[i];
        json_open(json, NULL, '{');
        json_text(json, "name", number->name);
        json_text(json, "kind", number->is_integer ? "integer" : "real");
        describe_limit("low", number->low, number->is_integer, json);
        describe_limit("high", number->high, number->is_integer, json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void describe_form(const struct grammar_form *form, struct json *json)
{
    static const char *const kinds[] = {
        [GRAMMAR_BARE] = "word", [GRAMMAR_TUPLE] = "numbers", [GRAMMAR_PIECES] = "pieces", [GRAMMAR_REST] = "text"};
    json_open(json, NULL, '{');
    json_text(json, "word", form->name);
    json_text(json, "kind", kinds[form->kind]);
    describe_numbers(form, json);
    if (form->kind == GRAMMAR_PIECES)
        json_integer(json, "most", form->max_pieces);
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
    for (; forms->name != NULL; forms++)
        describe_form(forms, json);
    json_close(json, ']');
}

/* Write the default as JSON of the option's kind. */
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
        json_text(json, "default", rule->initial);
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
    if (rule->choices != NULL) {
        json_open(json, "choices", '[');
        for (int i = 0; rule->choices[i] != NULL; i++)
            json_text(json, NULL, rule->choices[i]);
        json_close(json, ']');
    }
    describe_forms(rule->grammar, json);
    json_text(json, "value", rule->value);
    json_text(json, "help", rule->help);
    json_boolean(json, "hidden", rule->help == NULL);
    json_close(json, '}');
}

static void describe_options(struct json *json)
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

enum { DESCRIBE_SCHEMA = 1 };

static void describe_variable(const char *key, const struct variable *variable, struct json *json)
{
    switch (variable->kind) {
    case VARIABLE_INTEGER:
        json_integer(json, key, variable->integer);
        return;
    case VARIABLE_REAL:
        json_real(json, key, variable->real);
        return;
    case VARIABLE_TEXT:
        json_text(json, key, variable->text);
        return;
    case VARIABLE_FLAG:
        json_boolean(json, key, variable->flag);
        return;
    case VARIABLE_UNKNOWN:
        json_null(json, key);
    }
}

static void describe_operations(const struct operation_list *all, struct json *json)
{
    json_open(json, "operations", '[');
    for (size_t i = 0; i < all->count; i++) {
        json_open(json, NULL, '{');
        for (size_t f = 0; operation_variable_name(f) != NULL; f++) {
            const struct variable variable = operation_variable(&all->items[i], operation_variable_name(f));
            describe_variable(operation_variable_name(f), &variable, json);
        }
        json_text(json, "bytes_means", all->items[i].bytes_means);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* The derived datatypes that the name of an operation may end with. */
static void describe_named_datatypes(struct json *json)
{
    json_open(json, "named_datatypes", '[');
    for (int i = 0; i < ELEMENT_NAME_COUNT; i++) {
        const struct element element = element_of(&ELEMENT_NAMES[i]);
        json_open(json, NULL, '{');
        json_text(json, "name", ELEMENT_NAMES[i].name);
        json_text(json, "datatype", ELEMENT_NAMES[i].text);
        json_integer(json, "bytes", element.size);
        json_integer(json, "extent", element.extent);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* The basic datatypes, and the rules by which a case has one of them: the first whose condition holds. */
static void describe_datatypes(struct json *json)
{
    size_t count = 0;
    const struct datatype_rule *const rules = datatype_rules(&count);
    json_open(json, "datatypes", '[');
    for (enum datatype_kind kind = DATATYPE_BYTE; kind < DATATYPE_DERIVED; kind++) {
        const struct datatype datatype = datatype_basic(kind);
        json_open(json, NULL, '{');
        json_text(json, "name", datatype.name);
        json_integer(json, "bytes", datatype.element.size);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "datatype_rules", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(json, NULL, '{');
        describe_condition("when", &rules[i].when, json);
        json_text(json, "name", datatype_basic(rules[i].kind).name);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void describe(const struct operation_list *all, struct json *json)
{
    json_open(json, NULL, '{');
    json_integer(json, "schema", DESCRIBE_SCHEMA);
    describe_options(json);
    describe_relations(json);
    describe_datatypes(json);
    describe_named_datatypes(json);
    describe_operations(all, json);
    json_close(json, '}');
}

void describe_print(const struct json *json, FILE *stream)
{
    int depth = 0;
    bool text = false, escaped = false;
    for (size_t i = 0; i < json->length; i++) {
        const char c = json->text[i];
        if (c == '"' && !escaped)
            text = !text;
        escaped = c == '\\' && !escaped;
        depth -= !text && (c == '}' || c == ']');
        if (!text && ((c == '{' && depth == 2) || (c == ']' && depth == 1)))
            fputc('\n', stream);
        fputc(c, stream);
        depth += !text && (c == '{' || c == '[');
    }
    fputc('\n', stream);
}
