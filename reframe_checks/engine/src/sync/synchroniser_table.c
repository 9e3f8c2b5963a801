/* SPDX-License-Identifier: BSD-3-Clause */
/* synchroniser_table.c: the table of clock synchronisation schemes. */
#include "sync/synchroniser_table.h"

#include "sync/sync_ring.h"
#include "sync/sync_star.h"
#include "sync/sync_tree.h"

#include <stddef.h>
#include <string.h>

static const struct synchroniser SYNCHRONISERS[] = {
    {"linear", false, sync_star}, {"ring", false, sync_ring}, {"tree", false, sync_tree},
    {"hca3", true, sync_tree},    {"jk", true, sync_star},    {"none", false, sync_none},
};

const struct synchroniser *synchroniser_find(const char *name)
{
    for (size_t i = 0; i < sizeof SYNCHRONISERS / sizeof SYNCHRONISERS[0]; i++)
        if (strcmp(SYNCHRONISERS[i].name, name) == 0)
            return &SYNCHRONISERS[i];
    return NULL;
}
