/* SPDX-License-Identifier: BSD-3-Clause */
/* operation_table.c: the operations in operations.def, and all forms of each (see operation_table.h). */
#include "operations/operation_table.h"

#include "call/threads.h"

#include <stdlib.h>
#include <string.h>

#define OPERATION(name) extern const struct operation operation_##name;
#include "operations/operations.def"
#undef OPERATION

#define OPERATION(name) &operation_##name,
static const struct operation *const OPERATIONS[] = {
#include "operations/operations.def"
    NULL,
};
#undef OPERATION

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

/* Set the name to before + name + after, which is short enough for all operations of the table. */
static void operation_rename(struct operation *operation, const char *before, const char *after)
{
    char name[sizeof operation->name] = "";
    strncat(name, before, sizeof name - strlen(name) - 1);
    strncat(name, operation->name, sizeof name - strlen(name) - 1);
    strncat(name, after, sizeof name - strlen(name) - 1);
    memcpy(operation->name, name, sizeof name);
}

static bool operation_has_form(const struct operation *described, enum operation_form form)
{
    switch (form) {
    case FORM_NONBLOCKING:
    case FORM_PERSISTENT:
        return described->forms != NULL;
    case FORM_MULTI:
        return described->multi;
    case FORM_THREADS: /* on one communicator, collectives of several threads would be in no order */
        return described->threads && described->forms == NULL;
    case FORM_THREADS_COMMS:
        return described->threads;
    case FORM_BASE:
    case FORM_COUNT:
        break;
    }
    return true;
}

static struct operation operation_in_form(const struct operation *described, enum operation_form form, bool large)
{
    struct operation operation = *described;
    operation.form = form;
    const struct operation_forms *const calls = described->forms + (large ? FORMS_LARGE : FORMS_PLAIN);
    const bool neighborhood = strcmp(described->group, "neighborhood") == 0;
    switch (form) {
    case FORM_NONBLOCKING:
        operation_rename(&operation, "i", "");
        operation.group = neighborhood ? operation.group : "nonblocking";
        operation.start = calls->nonblocking;
        break;
    case FORM_PERSISTENT:
        operation_rename(&operation, "", "_init");
        operation.group = "persistent";
        operation.setup = calls->persistent;
        operation.start = calls->persistent == NULL ? NULL : operation_start_persistent;
        break;
    case FORM_MULTI:
        operation_rename(&operation, "multi-", "");
        operation.all_groups = true;
        return operation;
    case FORM_THREADS:
    case FORM_THREADS_COMMS:
        operation_rename(&operation, form == FORM_THREADS ? "threads-" : "threads-comms-", "");
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
    size_t described = 0;
    while (OPERATIONS[described] != NULL)
        described++;
    *list = (struct operation_list){.items = calloc(described * FORM_COUNT, sizeof *list->items)};
    if (list->items == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the operations");
    for (enum operation_form form = FORM_BASE; form < FORM_COUNT; form++)
        for (size_t i = 0; i < described; i++)
            if (operation_has_form(OPERATIONS[i], form))
                list->items[list->count++] = operation_in_form(OPERATIONS[i], form, large);
    return 0;
}
