/* SPDX-License-Identifier: BSD-3-Clause */
/* describe_relations.c: the tables of relations and implications as JSON (see describe.h). */
#include "describe/describe_relations.h"

#include "options/relation_table.h"

static void describe_right(const struct condition *condition, struct json *json)
{
    switch (condition->kind) {
    case CONDITION_IS:
    case CONDITION_IS_NOT:
        json_open(json, "words", '[');
        for (int i = 0; i < CONDITION_WORDS && condition->words[i] != NULL; i++)
            json_text(json, NULL, condition->words[i]);
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

void describe_condition(const char *key, const struct condition *condition, struct json *json)
{
    json_open(json, key, '{');
    json_text(json, "left", condition->left);
    json_text(json, "is", condition_word(condition->kind));
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

void describe_relations(struct json *json)
{
    size_t count = 0;
    const struct implication *const implications = implication_table(&count);
    json_open(json, "implications", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(json, NULL, '{');
        describe_condition("when", &implications[i].when, json);
        json_text(json, "option", implications[i].option + 2);
        json_text(json, "default", implications[i].word);
        json_close(json, '}');
    }
    json_close(json, ']');
    const struct relation *const relations = relation_table(&count);
    json_open(json, "relations", '[');
    for (size_t i = 0; i < count; i++)
        describe_relation(&relations[i], json);
    json_close(json, ']');
}
