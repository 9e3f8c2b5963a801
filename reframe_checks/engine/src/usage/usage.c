/* SPDX-License-Identifier: BSD-3-Clause */
/* usage.c: asks the relations of processes, operations and sizes (see usage.h). */
#include "usage/usage.h"

#include "options/relation_table.h"
#include "usage/usage_facts.h"

static int usage_ask(const struct usage_case *one, enum relation_scope scope, struct fault *fault)
{
    const struct facts facts = {usage_fact, one};
    size_t count = 0;
    const struct relation *const relations = relation_table(&count);
    return relation_check(relations, count, scope, &facts, fault);
}

const char *usage_lacks(const struct options *options, const struct operation *operation, int processes)
{
    const struct usage_case one = {options, processes, operation, -1};
    const struct facts facts = {usage_fact, &one};
    size_t count = 0;
    const struct relation *const relations = relation_table(&count);
    if (operation->run == NULL)
        return operation->missing;
    return relation_lacks(relations, count, RELATION_OPERATION, &facts);
}

/* All sizes of an operation with data; without sizes, what can be said of it all the same. */
static int usage_check_sizes(struct usage_case *one, struct fault *fault)
{
    const struct sizes *const sizes = &one->options->sizes;
    one->bytes = -1;
    if (sizes->count == 0)
        return usage_ask(one, RELATION_CASE, fault);
    for (size_t s = 0; s < sizes->count; s++) {
        one->bytes = sizes->bytes[s];
        if (usage_ask(one, RELATION_CASE, fault))
            return (int)fault->code;
    }
    return 0;
}

int usage_check(const struct options *options, const struct operation_list *operations, int processes,
                struct fault *fault)
{
    struct usage_case one = {options, processes, NULL, -1};
    if (usage_ask(&one, RELATION_LAUNCH, fault))
        return (int)fault->code;
    if (options->first_call && (operations->count != 1 || options->sizes.count > 1))
        return fault_set(fault, FAULT_USAGE,
                         "--first-call: a launch has one first call; give one operation and one size");
    for (size_t o = 0; o < operations->count; o++) {
        one.operation = &operations->items[o];
        one.bytes = -1;
        if (usage_ask(&one, RELATION_OPERATION, fault))
            return (int)fault->code;
    }
    for (size_t o = 0; o < operations->count; o++) {
        one.operation = &operations->items[o];
        if (one.operation->shape != OPERATION_NO_DATA && usage_lacks(options, one.operation, processes) == NULL &&
            usage_check_sizes(&one, fault))
            return (int)fault->code;
    }
    return 0;
}
