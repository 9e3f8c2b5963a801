/* SPDX-License-Identifier: BSD-3-Clause */
/* operation.c: properties, selection and listing of the operations (see operation.h). */
#include "operation/operation.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct variable operation_name(const struct operation *operation)
{
    return variable_text(operation->name);
}

static struct variable operation_group(const struct operation *operation)
{
    return variable_text(operation->group);
}

static struct variable operation_shape(const struct operation *operation)
{
    static const char *const names[] = {
        [OPERATION_NO_DATA] = "no-data", [OPERATION_VECTOR] = "vector", [OPERATION_BLOCKS] = "blocks"};
    return variable_text(names[operation->shape]);
}

static const char *operation_share_name(enum operation_share share)
{
    static const char *const names[] = {
        [SHARE_NOTHING] = "nothing", [SHARE_BLOCK] = "block", [SHARE_EACH] = "each", [SHARE_PEERS] = "peers"};
    return names[share];
}

static struct variable operation_sends(const struct operation *operation)
{
    return variable_text(operation_share_name(operation->sends));
}

static struct variable operation_receives(const struct operation *operation)
{
    return variable_text(operation_share_name(operation->receives));
}

static struct variable operation_data(const struct operation *operation)
{
    return variable_flag(operation->shape != OPERATION_NO_DATA);
}

static struct variable operation_root(const struct operation *operation)
{
    return variable_flag(operation->root != ROOT_NONE);
}

static struct variable operation_reduces(const struct operation *operation)
{
    return variable_flag(operation->reduces != REDUCES_NOTHING);
}

static struct variable operation_in_place(const struct operation *operation)
{
    return variable_flag(operation->in_place);
}

static struct variable operation_large_counts(const struct operation *operation)
{
    return variable_flag(operation->forms != NULL || operation->sends == SHARE_NOTHING);
}

static struct variable operation_persistent(const struct operation *operation)
{
    return variable_flag(operation->form == FORM_PERSISTENT || operation->setup != NULL);
}

bool operation_has_threads(const struct operation *operation)
{
    return operation->form == FORM_THREADS || operation->form == FORM_THREADS_COMMS;
}

static struct variable operation_threads(const struct operation *operation)
{
    return variable_flag(operation_has_threads(operation));
}

/* It needs nothing but its call: no communicator, window, request or message before it. */
static struct variable operation_unprepared(const struct operation *operation)
{
    return variable_flag(operation->prepare == NULL && operation->setup == NULL && operation->ready == NULL &&
                         operation->before == NULL && operation->exposes == EXPOSES_NOTHING &&
                         operation->form != FORM_PERSISTENT && !operation_has_threads(operation));
}

static struct variable operation_overlaps(const struct operation *operation)
{
    return variable_flag(operation->form == FORM_NONBLOCKING || operation->form == FORM_PERSISTENT);
}

static struct variable operation_varied(const struct operation *operation)
{
    return variable_flag(operation->varied);
}

static struct variable operation_fixed(const struct operation *operation)
{
    return variable_flag(operation->fixed_count > 0);
}

static struct variable operation_known_time(const struct operation *operation)
{
    return variable_flag(operation->known_time);
}

static struct variable operation_hidden(const struct operation *operation)
{
    return variable_flag(operation->hidden);
}

static struct variable operation_plain_sends(const struct operation *operation)
{
    return variable_flag(operation->plain_sends);
}

static struct variable operation_bursts(const struct operation *operation)
{
    return variable_flag(operation->bursts);
}

static struct variable operation_moved(const struct operation *operation)
{
    return variable_integer(operation->moved);
}

static struct variable operation_takes_datatype(const struct operation *operation)
{
    return variable_flag(operation->shape != OPERATION_NO_DATA && operation->reduces == REDUCES_NOTHING &&
                         operation->fixed_count == 0);
}

/* Messages need a partner; a collective works with one process. */
static struct variable operation_needs_processes(const struct operation *operation)
{
    return variable_integer(operation->sends == SHARE_PEERS && operation->prepare == NULL && !operation->packs ? 2 : 1);
}

static const struct {
    const char *name;
    struct variable (*of)(const struct operation *operation);
} OPERATION_VARIABLES[] = {
    {"name", operation_name},
    {"group", operation_group},
    {"shape", operation_shape},
    {"sends", operation_sends},
    {"receives", operation_receives},
    {"data", operation_data},
    {"root", operation_root},
    {"reduces", operation_reduces},
    {"in_place", operation_in_place},
    {"large_counts", operation_large_counts},
    {"persistent", operation_persistent},
    {"unprepared", operation_unprepared},
    {"overlaps", operation_overlaps},
    {"varied", operation_varied},
    {"fixed", operation_fixed},
    {"known_time", operation_known_time},
    {"hidden", operation_hidden},
    {"plain_sends", operation_plain_sends},
    {"bursts", operation_bursts},
    {"threads", operation_threads},
    {"takes_datatype", operation_takes_datatype},
    {"moved", operation_moved},
    {"needs_processes", operation_needs_processes},
};

enum { OPERATION_VARIABLE_COUNT = sizeof OPERATION_VARIABLES / sizeof OPERATION_VARIABLES[0] };

struct variable operation_variable(const struct operation *operation, const char *name)
{
    for (size_t i = 0; i < OPERATION_VARIABLE_COUNT; i++)
        if (strcmp(OPERATION_VARIABLES[i].name, name) == 0)
            return OPERATION_VARIABLES[i].of(operation);
    return variable_unknown();
}

const char *operation_variable_name(size_t i)
{
    return i < OPERATION_VARIABLE_COUNT ? OPERATION_VARIABLES[i].name : NULL;
}

static bool operation_is_named(const struct operation *operation, const char *name)
{
    return strcmp(name, operation->name) == 0 || strcmp(name, operation->group) == 0 ||
           (strcmp(name, "all") == 0 && !operation->hidden);
}

/* Append the operation with a datatype; a usage fault if there is no such one. */
static int operation_append_typed(const struct operation *operation, const char *datatype, struct operation_list *list,
                                  struct fault *fault)
{
    struct operation typed = *operation;
    if (element_find(operation->name, datatype, &typed.datatype, fault))
        return (int)fault->code;
    if (!operation_takes_datatype(operation).flag)
        return fault_set(fault, FAULT_USAGE,
                         "--operations: '%s@%s': only operations that move data of --sizes and do not reduce take a "
                         "datatype; write %s",
                         operation->name, datatype, operation->name);
    strncat(typed.name, "@", sizeof typed.name - strlen(typed.name) - 1);
    strncat(typed.name, datatype, sizeof typed.name - strlen(typed.name) - 1);
    list->items[list->count++] = typed;
    return 0;
}

/* Append what the names select of an operation: the operation, then those with a datatype; mark these names. */
static int operation_append(const struct text_list *names, const struct operation *operation,
                            struct operation_list *list, bool *selects, struct fault *fault)
{
    bool plain = false;
    for (size_t i = 0; i < names->count; i++) {
        const bool is_named = operation_is_named(operation, names->items[i]);
        selects[i] = selects[i] || is_named;
        if (is_named && !plain)
            list->items[list->count++] = *operation;
        plain = plain || is_named;
    }
    for (size_t i = 0; i < names->count; i++) {
        const char *datatype = NULL;
        if (!element_follows(names->items[i], operation->name, &datatype))
            continue;
        selects[i] = true;
        if (operation_append_typed(operation, datatype, list, fault))
            return (int)fault->code;
    }
    return 0;
}

/* Replace the list by what the names select. */
static int operation_retain(const struct text_list *names, struct operation_list *list, struct fault *fault)
{
    /* Each name with a datatype is one more operation at most. */
    struct operation_list selected = {.items = calloc(list->count + names->count, sizeof *selected.items)};
    bool *const selects = calloc(names->count, sizeof *selects);
    if (selected.items == NULL || selects == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for the operations");
    for (size_t i = 0; fault->code == FAULT_NONE && i < list->count; i++)
        operation_append(names, &list->items[i], &selected, selects, fault);
    for (size_t i = 0; fault->code == FAULT_NONE && i < names->count; i++)
        if (!selects[i])
            fault_set(fault, FAULT_USAGE, "--operations: '%s' is not an operation or group; see --list",
                      names->items[i]);
    free(selects);
    free(list->items);
    /* Every process has this list, and most operations are not selected: release their memory. */
    struct operation *const shrunk =
        selected.count == 0 ? NULL : realloc(selected.items, selected.count * sizeof *shrunk);
    list->items = shrunk == NULL ? selected.items : shrunk;
    list->count = selected.count;
    return (int)fault->code;
}

int operation_select(const char *text, struct operation_list *list, struct fault *fault)
{
    struct text_list names;
    if (!text_split(text, &names))
        return errno == ENOMEM
                   ? fault_set(fault, FAULT_SYSTEM, "out of memory for the operations")
                   : fault_set(fault, FAULT_USAGE,
                               "--operations '%s': empty or repeated name; write for example bcast,reduce", text);
    operation_retain(&names, list, fault);
    text_list_free(&names);
    return (int)fault->code;
}

void operation_list_free(struct operation_list *list)
{
    free(list->items);
    *list = (struct operation_list){0};
}

void operation_print_table(const struct operation_list *all, FILE *stream)
{
    fprintf(stream, "%-35s %-15s %s\n", "operation", "group", "bytes");
    for (size_t i = 0; i < all->count; i++)
        if (!all->items[i].hidden)
            fprintf(stream, "%-35s %-15s %s%s\n", all->items[i].name, all->items[i].group, all->items[i].bytes_means,
                    all->items[i].missing == NULL ? "" : " (not supported here)");
}
