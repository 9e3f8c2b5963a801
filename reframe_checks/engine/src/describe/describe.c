/* SPDX-License-Identifier: BSD-3-Clause */
/* describe.c: the document of --describe, part by part (see describe.h). */
#include "describe/describe.h"

#include "describe/describe_options.h"
#include "describe/describe_relations.h"
#include "operation/datatype.h"
#include "operation/operation_facts.h"

enum { DESCRIBE_SCHEMA = 1 };

static void describe_fact(const char *key, const struct fact *fact, struct json *json)
{
    switch (fact->kind) {
    case FACT_INTEGER:
        json_integer(json, key, fact->integer);
        return;
    case FACT_REAL:
        json_real(json, key, fact->real);
        return;
    case FACT_WORD:
        json_text(json, key, fact->word);
        return;
    case FACT_FLAG:
        json_boolean(json, key, fact->flag);
        return;
    case FACT_UNKNOWN:
        json_null(json, key);
    }
}

static void describe_operations(const struct operation_list *all, struct json *json)
{
    json_open(json, "operations", '[');
    for (size_t i = 0; i < all->count; i++) {
        json_open(json, NULL, '{');
        for (size_t f = 0; operation_fact_name(f) != NULL; f++) {
            const struct fact fact = operation_fact(&all->items[i], operation_fact_name(f));
            describe_fact(operation_fact_name(f), &fact, json);
        }
        json_text(json, "bytes_means", all->items[i].bytes_means);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* element.name and element.size of the basic types, and which one a case has: that of the first rule that holds. */
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
