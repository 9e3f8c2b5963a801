/* SPDX-License-Identifier: BSD-3-Clause */
/* datatype.c: the datatype of a case (see datatype.h). */
#include "operation/datatype.h"

#include "operation/operation.h"

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
    [DATATYPE_DERIVED] = {"derived", 0}, /* as described by the user */
};

struct datatype datatype_basic(enum datatype_kind kind)
{
    const int bytes = DATATYPES[kind].bytes;
    return (struct datatype){kind, DATATYPES[kind].name, {.kind = ELEMENT_BASIC, .size = bytes, .extent = bytes}};
}

static const struct datatype_rule DATATYPE_RULES[] = {
    {{.left = "operation.fixed", .kind = CONDITION_TRUE}, DATATYPE_INT},
    {{.left = "datatype", .kind = CONDITION_IS, .values = {"byte"}}, DATATYPE_BYTE},
    {{.left = "datatype", .kind = CONDITION_IS, .values = {"int"}}, DATATYPE_INT},
    {{.left = "datatype", .kind = CONDITION_IS, .values = {"float"}}, DATATYPE_FLOAT},
    {{.left = "datatype", .kind = CONDITION_IS, .values = {"double"}}, DATATYPE_DOUBLE},
    {{.left = "datatype", .kind = CONDITION_IS, .values = {"vector", "indexed"}}, DATATYPE_DERIVED},
    {{.left = "operation.reduces", .kind = CONDITION_FALSE}, DATATYPE_BYTE},
    {{.left = "bytes", .kind = CONDITION_MULTIPLE_OF, .number = sizeof(float)}, DATATYPE_FLOAT},
    {{.left = "bytes", .kind = CONDITION_AT_LEAST, .number = 0}, DATATYPE_SIGNED_CHAR},
};

const struct datatype_rule *datatype_rules(size_t *count)
{
    *count = sizeof DATATYPE_RULES / sizeof DATATYPE_RULES[0];
    return DATATYPE_RULES;
}

/* The variables of the rules. */
struct datatype_case {
    const char *requested;
    const struct operation *operation;
    int64_t bytes;
};

static struct variable datatype_variable(const void *context, const char *name)
{
    const struct datatype_case *const datatype_case = context;
    struct grammar_value value;
    if (strcmp(name, "datatype") == 0)
        return grammar_read(ELEMENT_FORMS, datatype_case->requested, &value) ? variable_text(value.form->name)
                                                                             : variable_unknown();
    if (strcmp(name, "bytes") == 0)
        return variable_integer(datatype_case->bytes);
    return operation_variable(datatype_case->operation, name + strlen("operation."));
}

const char *datatype_requested(const char *option, const struct operation *operation)
{
    return operation->datatype == NULL ? option : operation->datatype->text;
}

struct datatype datatype_of(const char *option, const struct element *derived, const struct operation *operation,
                            int64_t bytes)
{
    const char *const requested = datatype_requested(option, operation);
    const struct datatype_case datatype_case = {requested, operation, bytes};
    const struct variables variables = {datatype_variable, &datatype_case};
    size_t count = 0, i = 0;
    const struct datatype_rule *const rules = datatype_rules(&count);
    while (i + 1 < count && condition_evaluate(&rules[i].when, &variables) != CONDITION_HOLDS)
        i++;
    if (rules[i].kind != DATATYPE_DERIVED)
        return datatype_basic(rules[i].kind);
    return (struct datatype){DATATYPE_DERIVED, requested,
                             operation->datatype == NULL ? *derived : element_of(operation->datatype)};
}
