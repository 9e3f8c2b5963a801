/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme.c: the table of measurement schemes. */
#include "scheme.h"

#include <stdio.h>
#include <string.h>

static const struct scheme SCHEMES[] = {
    {"window", scheme_window_batch},
};

enum { SCHEME_COUNT = sizeof SCHEMES / sizeof SCHEMES[0] };

const struct scheme *scheme_find(const char *name)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (strcmp(SCHEMES[i].name, name) == 0)
            return &SCHEMES[i];
    return NULL;
}

void scheme_names(char *names, size_t capacity)
{
    names[0] = '\0';
    for (size_t i = 0, used = 0; i < SCHEME_COUNT && used < capacity; i++)
        used += (size_t)snprintf(names + used, capacity - used, "%s%s", i == 0 ? "" : ", ", SCHEMES[i].name);
}
