/* SPDX-License-Identifier: BSD-3-Clause */
/* groups.c: groups of processes by rank (see groups.h). */
#include "option_values/groups.h"

#include <limits.h>

#define GROUPS_NUMBER .kind = GRAMMAR_TUPLE, .numbers = {{"N", true, 1, INT_MAX}}

const struct grammar_form GROUPS_FORMS[] = {
    [GROUPS_ALL] = {.name = "all"},
    [GROUPS_NODE] = {.name = "node"},
    [GROUPS_HALVES] = {.name = "halves"},
    [GROUPS_STRIDED] = {.name = "strided", GROUPS_NUMBER},
    [GROUPS_SIZE] = {.name = "size", GROUPS_NUMBER},
    [GROUPS_ACTIVE] = {.name = "active", GROUPS_NUMBER},
    {.name = NULL},
};

int groups_parse(const char *text, struct groups *groups, struct fault *fault)
{
    struct grammar_value value;
    *groups = (struct groups){.kind = GROUPS_ALL};
    if (!grammar_read(GROUPS_FORMS, text, &value))
        return fault_set(fault, FAULT_USAGE,
                         "--groups '%.100s': give all, node, halves, strided:N, size:N or active:N, N from 1", text);
    *groups = (struct groups){(enum groups_kind)(value.form - GROUPS_FORMS), (int)value.integers[0]};
    return 0;
}

int groups_of(const struct groups *groups, int rank, int size)
{
    const int number = groups->number;
    switch (groups->kind) {
    case GROUPS_HALVES:
        return rank < size - size / 2 ? 0 : 1;
    case GROUPS_STRIDED:
        return rank % number;
    case GROUPS_SIZE:
        return rank < size / number * number ? rank / number : GROUPS_IDLE;
    case GROUPS_ACTIVE:
        return rank < number ? 0 : GROUPS_IDLE;
    case GROUPS_ALL:
    case GROUPS_NODE:
        break;
    }
    return 0;
}

struct groups_shape groups_shape(const struct groups *groups, int size)
{
    const int number = groups->number;
    switch (groups->kind) {
    case GROUPS_NODE:
        return (struct groups_shape){0, 0, size};
    case GROUPS_HALVES:
        return (struct groups_shape){2, size / 2, size};
    case GROUPS_STRIDED:
        return (struct groups_shape){number, size / number, size};
    case GROUPS_SIZE:
        return (struct groups_shape){size / number, size < number ? 0 : number, size / number * number};
    case GROUPS_ACTIVE:
        return (struct groups_shape){1, size < number ? 0 : number, number};
    case GROUPS_ALL:
        break;
    }
    return (struct groups_shape){1, size, size};
}
