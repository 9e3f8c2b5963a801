/* SPDX-License-Identifier: BSD-3-Clause */
/* operation_select.c: chooses from the operations (see operation_select.h). */
#include "operation/operation_select.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool operation_is_called(const struct operation *operation, const char *word)
{
    return strcmp(word, operation->name) == 0 || strcmp(word, operation->group) == 0 ||
           (strcmp(word, "all") == 0 && !operation->hidden);
}

/* Marks in wanted what the word names; false when it names nothing. */
static bool operation_mark(const char *word, const struct operation_list *all, bool *wanted)
{
    bool found = false;
    for (size_t i = 0; i < all->count; i++) {
        const bool called = operation_is_called(&all->items[i], word);
        wanted[i] = wanted[i] || called;
        found = found || called;
    }
    return found;
}

/* Leaves in the list what the names name. */
static int operation_keep(const struct text_list *names, struct operation_list *list, struct fault *fault)
{
    bool *const wanted = calloc(list->count, sizeof *wanted);
    if (wanted == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the operations");
    for (size_t i = 0; fault->code == FAULT_NONE && i < names->count; i++)
        if (!operation_mark(names->items[i], list, wanted))
            fault_set(fault, FAULT_USAGE, "--operations: '%s' is no operation or group of this version; see --list",
                      names->items[i]);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (wanted[i])
            list->items[kept++] = list->items[i];
    list->count = kept;
    free(wanted);
    /* Most operations are not wanted, and every process has this list. */
    struct operation *const shorter = kept == 0 ? NULL : realloc(list->items, kept * sizeof *shorter);
    list->items = shorter == NULL ? list->items : shorter;
    return (int)fault->code;
}

int operation_select(const char *words, struct operation_list *list, struct fault *fault)
{
    struct text_list names;
    if (!text_split(words, &names))
        return errno == ENOMEM
                   ? fault_set(fault, FAULT_SYSTEM, "out of memory for the operations")
                   : fault_set(fault, FAULT_USAGE,
                               "--operations '%s': an empty or repeated name; write for example bcast,reduce", words);
    operation_keep(&names, list, fault);
    text_list_free(&names);
    return (int)fault->code;
}

void operation_list_free(struct operation_list *list)
{
    free(list->items);
    *list = (struct operation_list){0};
}
