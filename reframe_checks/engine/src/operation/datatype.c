/* SPDX-License-Identifier: BSD-3-Clause */
/* datatype.c: the elements of a case (see datatype.h). */
#include "operation/datatype.h"

#include "operation/operation_facts.h"

#include <string.h>

static const struct {
    const char *name;
    int bytes;
} DATATYPES[] = {
    [DATATYPE_BYTE] = {"byte", 1},
    [DATATYPE_INT] = {"int", sizeof(int)},
    [DATATYPE_FLOAT] = {"float", sizeof(float)},
    [DATATYPE_DOUBLE] = {"double", sizeof(double)},
    [DATATYPE_SIGNED_CHAR] = {"signed char", 1},
    [DATATYPE_DERIVED] = {"derived", 0}, /* as it is described */
};

struct datatype datatype_basic(enum datatype_kind kind)
{
    const int bytes = DATATYPES[kind].bytes;
    return (struct datatype){kind, DATATYPES[kind].name, {.kind = ELEMENT_BASIC, .size = bytes, .extent = bytes}};
}

static const struct datatype_rule DATATYPE_RULES[] = {
    {{.left = "operation.fixed", .kind = CONDITION_TRUE}, DATATYPE_INT},
    {{.left = "datatype", .kind = CONDITION_IS, .words = {"byte"}}, DATATYPE_BYTE},
    {{.left = "datatype", .kind = CONDITION_IS, .words = {"int"}}, DATATYPE_INT},
    {{.left = "datatype", .kind = CONDITION_IS, .words = {"float"}}, DATATYPE_FLOAT},
    {{.left = "datatype", .kind = CONDITION_IS, .words = {"double"}}, DATATYPE_DOUBLE},
    {{.left = "datatype", .kind = CONDITION_IS, .words = {"vector", "indexed"}}, DATATYPE_DERIVED},
    {{.left = "operation.reduces", .kind = CONDITION_FALSE}, DATATYPE_BYTE},
    {{.left = "bytes", .kind = CONDITION_MULTIPLE_OF, .number = sizeof(float)}, DATATYPE_FLOAT},
    {{.left = "bytes", .kind = CONDITION_AT_LEAST, .number = 0}, DATATYPE_SIGNED_CHAR},
};
const struct datatype_rule *datatype_rules(size_t *count)
{
    *count = sizeof DATATYPE_RULES / sizeof DATATYPE_RULES[0];
    return DATATYPE_RULES;
}

/* What the rules ask of. */
struct datatype_case {
    const char *wanted;
    const struct operation *operation;
    int64_t bytes;
};

static struct fact datatype_fact(const void *from, const char *name)
{
    const struct datatype_case *const one = from;
    struct grammar_value value;
    if (strcmp(name, "datatype") == 0)
        return grammar_read(ELEMENT_FORMS, one->wanted, &value) ? fact_word(value.form->word) : fact_unknown();
    if (strcmp(name, "bytes") == 0)
        return fact_integer(one->bytes);
    return operation_fact(one->operation, name + strlen("operation."));
}

struct datatype datatype_of(const char *wanted, const struct element *derived, const struct operation *operation,
                            int64_t bytes)
{
    const struct datatype_case one = {wanted, operation, bytes};
    const struct facts facts = {datatype_fact, &one};
    size_t count = 0, i = 0;
    const struct datatype_rule *const rules = datatype_rules(&count);
    while (i + 1 < count && condition_ask(&rules[i].when, &facts) != CONDITION_HOLDS)
        i++;
    return rules[i].kind == DATATYPE_DERIVED ? (struct datatype){DATATYPE_DERIVED, wanted, *derived}
                                             : datatype_basic(rules[i].kind);
}
