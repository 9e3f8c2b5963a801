/* SPDX-License-Identifier: BSD-3-Clause */
/* operation_print.c: the operations as a table for people. */
#include "operation/operation_print.h"

void operation_print_table(const struct operation_list *all, FILE *stream)
{
    fprintf(stream, "%-27s %-15s %s\n", "operation", "group", "bytes");
    for (size_t i = 0; i < all->count; i++)
        if (!all->items[i].hidden)
            fprintf(stream, "%-27s %-15s %s%s\n", all->items[i].name, all->items[i].group, all->items[i].bytes_means,
                    all->items[i].missing == NULL ? "" : " (not supported here)");
}
