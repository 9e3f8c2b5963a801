/* SPDX-License-Identifier: BSD-3-Clause */
/* usage_facts.c: finds the facts of a case (see usage_facts.h). */
#include "usage/usage_facts.h"

#include "operation/datatype.h"
#include "operation/layout.h"
#include "operation/operation_facts.h"
#include "options/option_facts.h"

#include <string.h>

static struct fact usage_number(int64_t number, bool known)
{
    return known ? fact_integer(number) : fact_unknown();
}

static struct datatype usage_datatype(const struct usage_case *one)
{
    return datatype_of(one->options->datatype, &one->options->element, one->operation, one->bytes);
}

static struct fact usage_element_name(const struct usage_case *one)
{
    return fact_word(usage_datatype(one).name);
}

/* In bytes where the call takes displacements in bytes. */
static int64_t usage_farthest(const struct usage_case *one)
{
    const struct datatype datatype = usage_datatype(one);
    const struct layout layout = {
        .operation = one->operation,
        .unbalanced = one->options->counts == COUNTS_UNBALANCED,
        .graph = one->options->topology == TOPOLOGY_GRAPH,
        .size = one->processes,
        .count = one->bytes / datatype.element.size,
    };
    int64_t farthest = layout_farthest(&layout);
    return one->operation->typed && __builtin_mul_overflow(farthest, datatype.element.extent, &farthest) ? INT64_MAX
                                                                                                         : farthest;
}

struct fact usage_fact(const void *from, const char *name)
{
    const struct usage_case *const one = from;
    const bool is_case = one->operation != NULL && one->bytes >= 0;
    if (strcmp(name, "processes") == 0)
        return usage_number(one->processes, one->processes > 0);
    if (strcmp(name, "bytes") == 0)
        return usage_number(one->bytes, one->bytes >= 0);
    if (one->operation != NULL && strcmp(name, "operation") == 0)
        return operation_fact(one->operation, "name");
    if (one->operation != NULL && strncmp(name, "operation.", 10) == 0)
        return operation_fact(one->operation, name + 10);
    if (is_case && strcmp(name, "element.name") == 0)
        return usage_element_name(one);
    if (is_case && strcmp(name, "element.size") == 0)
        return usage_number(usage_datatype(one).element.size, true);
    if (is_case && strcmp(name, "farthest") == 0)
        return one->processes > 0 ? usage_number(usage_farthest(one), true) : fact_unknown();
    return option_fact(one->options, name);
}
