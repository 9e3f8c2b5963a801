/* SPDX-License-Identifier: BSD-3-Clause */
/* operation.c: chooses from the table of operations and prints it. */
#include "operation.h"

#include "operations/table.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool operation_is_called(const struct operation *operation, const char *word)
{
    return strcmp(word, operation->name) == 0 || strcmp(word, operation->group) == 0 ||
           (strcmp(word, "all") == 0 && !operation->hidden);
}

/* Marks in wanted what the word names; false when it names nothing. */
static bool operation_mark(const char *word, bool *wanted)
{
    bool found = false;
    for (size_t i = 0; OPERATIONS[i] != NULL; i++) {
        const bool called = operation_is_called(OPERATIONS[i], word);
        wanted[i] = wanted[i] || called;
        found = found || called;
    }
    return found;
}

int operation_select(const char *words, struct operation_list *list, struct fault *fault)
{
    size_t known = 0;
    while (OPERATIONS[known] != NULL)
        known++;
    struct text_list names;
    *list = (struct operation_list){0};
    if (!text_split(words, &names))
        return errno == ENOMEM
                   ? fault_set(fault, FAULT_SYSTEM, "out of memory for the operations")
                   : fault_set(fault, FAULT_USAGE,
                               "--operations '%s': an empty or repeated name; write for example bcast,reduce", words);
    bool *const wanted = calloc(known, sizeof *wanted);
    list->items = calloc(known, sizeof *list->items);
    if (wanted == NULL || list->items == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for the operations");
    for (size_t i = 0; fault->code == FAULT_NONE && i < names.count; i++)
        if (!operation_mark(names.items[i], wanted))
            fault_set(fault, FAULT_USAGE, "--operations: '%s' is no operation or group of this version; see --list",
                      names.items[i]);
    for (size_t i = 0; fault->code == FAULT_NONE && i < known; i++)
        if (wanted[i])
            list->items[list->count++] = OPERATIONS[i];
    free(wanted);
    text_list_free(&names);
    return (int)fault->code;
}

void operation_list_free(struct operation_list *list)
{
    free(list->items);
    *list = (struct operation_list){0};
}

void operation_print_table(FILE *stream)
{
    fprintf(stream, "%-22s %-14s %s\n", "operation", "group", "bytes");
    for (size_t i = 0; OPERATIONS[i] != NULL; i++)
        if (!OPERATIONS[i]->hidden)
            fprintf(stream, "%-22s %-14s %s\n", OPERATIONS[i]->name, OPERATIONS[i]->group, OPERATIONS[i]->bytes_means);
}
