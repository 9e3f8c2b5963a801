/* SPDX-License-Identifier: BSD-3-Clause */
/* cases.c: the table of operations and their kernels (see cases.h). */
#include "candle/cases.h"

#include "base/text.h"
#include "operation/operation_form.h"
#include "option_values/element.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FROM_SIZES = -1, INT = 4 /* bytes */, BURST = 64 /* messages, as by default in the engine */ };

static const struct {
    int forms;
    struct candle_operation operation;
} OPERATIONS[] = {
#define OPERATION(variable, name, forms, kernel, ...) {forms, {name, KERNEL_##kernel, __VA_ARGS__}},
#define HIDDEN(variable, name)
#include "operations/operations.def"
#undef OPERATION
#undef HIDDEN
};

enum { OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS };

/* All groups of an operation between two processes act at the same time. */
static enum kernel cases_kernel(enum kernel kernel, enum operation_form form)
{
    if (form != FORM_MULTI)
        return kernel;
    return kernel == KERNEL_PING_PONG   ? KERNEL_PING_PONG_ALL
           : kernel == KERNEL_PING_PING ? KERNEL_PING_PING_ALL
                                        : kernel;
}

/* Set the operation of that number in the engine's --list; false after the last. */
static bool cases_operation(size_t number, struct candle_operation *operation)
{
    for (enum operation_form form = FORM_BASE; form < FORM_COUNT; form++)
        for (size_t o = 0; o < OPERATION_COUNT; o++) {
            if (!operation_form_exists(OPERATIONS[o].forms, form) || number-- > 0)
                continue;
            *operation = OPERATIONS[o].operation;
            operation->kernel = cases_kernel(operation->kernel, form);
            operation_form_name(operation->name, sizeof operation->name, OPERATIONS[o].operation.name, form);
            return true;
        }
    return false;
}

static bool cases_is_operation(const char *name)
{
    struct candle_operation operation;
    const char *datatype = NULL;
    for (size_t i = 0; cases_operation(i, &operation); i++)
        if (strcmp(operation.name, name) == 0 || element_follows(name, operation.name, &datatype))
            return true;
    return false;
}

static bool cases_is_named(const struct text_list *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

static int cases_check_names(const struct text_list *names, struct fault *fault)
{
    for (size_t i = 0; i < names->count; i++)
        if (!cases_is_operation(names->items[i]))
            return fault_set(fault, FAULT_USAGE, "--operations: '%s' is not an operation; see --list", names->items[i]);
    return 0;
}

/* Add the cases of an operation, for which there is room; datatype: that of its name, or NULL. */
static int cases_add(const struct candle_operation *operation, const struct element_name *datatype,
                     const struct sizes *sizes, struct candle_cases *cases, struct fault *fault)
{
    if (operation->fixed_bytes >= 0)
        cases->items[cases->count++] = (struct candle_case){*operation, 0};
    else if (sizes->count == 0)
        return fault_set(fault, FAULT_USAGE, "--sizes is missing; write for example 8,1KiB");
    for (size_t s = 0; operation->fixed_bytes < 0 && s < sizes->count; s++)
        if (element_fits(datatype, sizes->bytes[s]))
            cases->items[cases->count++] = (struct candle_case){*operation, sizes->bytes[s]};
    return 0;
}

/* Add what the names request of an operation: itself, then with datatypes, with which its messages are the same. */
static int cases_add_named(const struct text_list *names, const struct candle_operation *operation,
                           const struct sizes *sizes, struct candle_cases *cases, struct fault *fault)
{
    if (cases_is_named(names, operation->name) && cases_add(operation, NULL, sizes, cases, fault))
        return (int)fault->code;
    for (size_t i = 0; i < names->count; i++) {
        struct candle_operation typed = *operation;
        const struct element_name *name = NULL;
        const char *datatype = NULL;
        if (!element_follows(names->items[i], operation->name, &datatype))
            continue;
        snprintf(typed.name, sizeof typed.name, "%s", names->items[i]);
        if (element_find(operation->name, datatype, &name, fault) || cases_add(&typed, name, sizes, cases, fault))
            return (int)fault->code;
    }
    return 0;
}

int cases_list(const char *operations, const struct sizes *sizes, struct candle_cases *cases, struct fault *fault)
{
    struct text_list names;
    struct candle_operation operation;
    *cases = (struct candle_cases){0};
    if (!text_split(operations, &names))
        return errno == ENOMEM
                   ? fault_set(fault, FAULT_SYSTEM, "out of memory for the operations")
                   : fault_set(fault, FAULT_USAGE,
                               "--operations '%s': empty or repeated name; write for example bcast,reduce", operations);
    cases->items = calloc(names.count * (sizes->count + 1), sizeof *cases->items);
    if (cases->items == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for %zu operations", names.count);
    else
        cases_check_names(&names, fault);
    for (size_t i = 0; fault->code == FAULT_NONE && cases_operation(i, &operation); i++)
        cases_add_named(&names, &operation, sizes, cases, fault);
    if (fault->code != FAULT_NONE)
        cases_free(cases);
    text_list_free(&names);
    return (int)fault->code;
}

void cases_free(struct candle_cases *cases)
{
    free(cases->items);
    *cases = (struct candle_cases){0};
}

size_t cases_bytes(const struct candle_case *item)
{
    return (size_t)(item->operation.fixed_bytes >= 0 ? item->operation.fixed_bytes : item->bytes);
}

void cases_print_operations(FILE *stream)
{
    struct candle_operation operation;
    for (size_t i = 0; cases_operation(i, &operation); i++)
        fprintf(stream, "%-35s %s\n", operation.name, KERNEL_NAMES[operation.kernel]);
}
