/* SPDX-License-Identifier: BSD-3-Clause */
/* usage.c: checks the relations of processes, operations and sizes (see usage.h). */
#include "contract/usage.h"

#include "operation/datatype.h"
#include "operation/layout.h"
#include "operation/operation.h"
#include "options/command_line.h"
#include "options/relations.h"

#include <string.h>

/* The variables of a case: those of the options, the number of processes, the operation and the size. */
struct usage_case {
    const struct options *options;
    int processes;                     /* 0: unknown */
    const struct operation *operation; /* NULL: unknown */
    int64_t bytes;                     /* -1: unknown */
};

static struct variable usage_number(int64_t number, bool has_value)
{
    return has_value ? variable_integer(number) : variable_unknown();
}

static struct datatype usage_datatype(const struct usage_case *usage_case)
{
    return datatype_of(usage_case->options->datatype, &usage_case->options->element, usage_case->operation,
                       usage_case->bytes);
}

static struct variable usage_element_name(const struct usage_case *usage_case)
{
    return variable_text(usage_datatype(usage_case).name);
}

/* In bytes if the call takes displacements in bytes, otherwise in elements. */
static int64_t usage_farthest(const struct usage_case *usage_case)
{
    const struct datatype datatype = usage_datatype(usage_case);
    const struct layout layout = {
        .operation = usage_case->operation,
        .unbalanced = usage_case->options->counts == COUNTS_UNBALANCED,
        .graph = usage_case->options->topology == TOPOLOGY_GRAPH,
        .size = usage_case->processes,
        .count = usage_case->bytes / datatype.element.size,
    };
    int64_t farthest = layout_farthest(&layout);
    return usage_case->operation->typed && __builtin_mul_overflow(farthest, datatype.element.extent, &farthest)
               ? INT64_MAX
               : farthest;
}

/* Hosts, the groups of --groups node, are known to a launch only. */
static struct variable usage_smallest_group(const struct usage_case *usage_case)
{
    const struct groups *const groups = &usage_case->options->groups;
    return usage_number(groups_shape(groups, usage_case->processes).smallest,
                        usage_case->processes > 0 && groups->kind != GROUPS_NODE);
}

static struct variable usage_variable(const void *context, const char *name)
{
    const struct usage_case *const usage_case = context;
    const bool is_case = usage_case->operation != NULL && usage_case->bytes >= 0;
    if (strcmp(name, "processes") == 0)
        return usage_number(usage_case->processes, usage_case->processes > 0);
    if (strcmp(name, "smallest-group") == 0)
        return usage_smallest_group(usage_case);
    if (strcmp(name, "bytes") == 0)
        return usage_number(usage_case->bytes, usage_case->bytes >= 0);
    if (usage_case->operation != NULL && strcmp(name, "operation") == 0)
        return operation_variable(usage_case->operation, "name");
    if (usage_case->operation != NULL && strncmp(name, "operation.", 10) == 0)
        return operation_variable(usage_case->operation, name + 10);
    if (is_case && strcmp(name, "element.name") == 0)
        return usage_element_name(usage_case);
    if (is_case && strcmp(name, "element.size") == 0)
        return usage_number(usage_datatype(usage_case).element.size, true);
    if (is_case && strcmp(name, "farthest") == 0)
        return usage_case->processes > 0 ? usage_number(usage_farthest(usage_case), true) : variable_unknown();
    return option_variable(usage_case->options, name);
}

static int usage_check_scope(const struct usage_case *usage_case, enum relation_scope scope, struct fault *fault)
{
    const struct variables variables = {usage_variable, usage_case};
    size_t count = 0;
    const struct relation *const relations = relation_table(&count);
    return relation_check(relations, count, scope, &variables, fault);
}

const char *usage_why_not_supported(const struct options *options, const struct operation *operation, int processes)
{
    const struct usage_case usage_case = {options, processes, operation, -1};
    const struct variables variables = {usage_variable, &usage_case};
    size_t count = 0;
    const struct relation *const relations = relation_table(&count);
    if (operation->execute == NULL)
        return operation->missing;
    return relation_why_not_supported(relations, count, RELATION_OPERATION, &variables);
}

/* Check all sizes of an operation with data; without sizes, the relations that do not depend on them. */
static int usage_check_sizes(struct usage_case *usage_case, struct fault *fault)
{
    const struct sizes *const sizes = &usage_case->options->sizes;
    usage_case->bytes = -1;
    if (sizes->count == 0)
        return usage_check_scope(usage_case, RELATION_CASE, fault);
    size_t cases = 0;
    for (size_t s = 0; s < sizes->count; s++) {
        usage_case->bytes = sizes->bytes[s];
        if (!element_fits(usage_case->operation->datatype, usage_case->bytes))
            continue;
        cases++;
        if (usage_check_scope(usage_case, RELATION_CASE, fault))
            return (int)fault->code;
    }
    if (cases > 0)
        return 0;
    const struct datatype datatype = usage_datatype(usage_case);
    return fault_set(fault, FAULT_USAGE, "--sizes: none is a multiple of the datatype of %s, %s (%d bytes); add one",
                     usage_case->operation->name, datatype.name, datatype.element.size);
}

int usage_check(const struct options *options, const struct operation_list *operations, int processes,
                struct fault *fault)
{
    struct usage_case usage_case = {options, processes, NULL, -1};
    if (usage_check_scope(&usage_case, RELATION_LAUNCH, fault))
        return (int)fault->code;
    if (options->first_call && (operations->count != 1 || options->sizes.count > 1))
        return fault_set(fault, FAULT_USAGE,
                         "--first-call: a launch has one first call; give one operation and one size");
    for (size_t o = 0; o < operations->count; o++) {
        usage_case.operation = &operations->items[o];
        usage_case.bytes = -1;
        if (usage_check_scope(&usage_case, RELATION_OPERATION, fault))
            return (int)fault->code;
    }
    for (size_t o = 0; o < operations->count; o++) {
        usage_case.operation = &operations->items[o];
        if (usage_case.operation->shape != OPERATION_NO_DATA &&
            usage_why_not_supported(options, usage_case.operation, processes) == NULL &&
            usage_check_sizes(&usage_case, fault))
            return (int)fault->code;
    }
    return 0;
}
