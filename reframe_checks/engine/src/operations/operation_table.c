/* SPDX-License-Identifier: BSD-3-Clause */
/* operation_table.c: the operations in operations.def, and all forms of each (see operation_table.h). */
#include "operations/operation_table.h"

#include "call/threads.h"

#include <stdlib.h>
#include <string.h>

#define HIDDEN(variable, name) OPERATION(variable, name, NO_FORMS, )
#define OPERATION(variable, ...) extern const struct operation operation_##variable;
#include "operations/operations.def"
#undef OPERATION

static const struct entry {
    const char *name;
    int forms;
    const struct operation *described;
} OPERATIONS[] = {
#define OPERATION(variable, name, forms, ...) {name, forms, &operation_##variable},
#include "operations/operations.def"
#undef OPERATION
#undef HIDDEN
};

enum { OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS };

/*
 * A collective is described once. Its blocking form is the MPI call; its nonblocking form is a start and a wait; its
 * persistent form creates a request once for a set of buffers, and each execution starts it and waits.
 */
static int operation_start_persistent(struct call *call)
{
    return MPI_Start(&call->request);
}

static int operation_start_and_wait(struct call *call)
{
    const int result = call->operation->start(call);
    return result == MPI_SUCCESS ? call_wait(call) : result;
}

static struct operation operation_in_form(const struct entry *entry, enum operation_form form, bool large)
{
    const struct operation *const described = entry->described;
    struct operation operation = *described;
    operation.form = form;
    operation_form_name(operation.name, sizeof operation.name, entry->name, form);
    const struct operation_forms *const calls = described->forms + (large ? FORMS_LARGE : FORMS_PLAIN);
    const bool neighborhood = strcmp(described->group, "neighborhood") == 0;
    switch (form) {
    case FORM_NONBLOCKING:
        operation.group = neighborhood ? operation.group : "nonblocking";
        operation.start = calls->nonblocking;
        break;
    case FORM_PERSISTENT:
        operation.group = "persistent";
        operation.setup = calls->persistent;
        operation.start = calls->persistent == NULL ? NULL : operation_start_persistent;
        break;
    case FORM_MULTI:
        operation.all_groups = true;
        return operation;
    case FORM_THREADS:
    case FORM_THREADS_COMMS:
        operation.group = "threads";
        operation.plain_sends = false;
        operation.in_thread = described->forms == NULL ? described->execute : calls->blocking;
        operation.execute = operation.in_thread == NULL ? NULL : threads_execute;
        break;
    case FORM_BASE:
    case FORM_COUNT:
        operation.execute = described->forms == NULL ? described->execute : calls->blocking;
        break;
    }
    if (operation.start != NULL)
        operation.execute = operation_start_and_wait;
    if (operation.execute == NULL)
        operation.missing =
            large ? "the MPI library lacks this call with MPI_Count" : "the MPI library lacks this call";
    return operation;
}

int operation_expand(bool large, struct operation_list *list, struct fault *fault)
{
    *list = (struct operation_list){.items = calloc((size_t)OPERATION_COUNT * FORM_COUNT, sizeof *list->items)};
    if (list->items == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the operations");
    for (enum operation_form form = FORM_BASE; form < FORM_COUNT; form++)
        for (size_t i = 0; i < OPERATION_COUNT; i++)
            if (operation_form_exists(OPERATIONS[i].forms, form))
                list->items[list->count++] = operation_in_form(&OPERATIONS[i], form, large);
    return 0;
}
