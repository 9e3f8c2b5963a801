/* SPDX-License-Identifier: BSD-3-Clause */
/* synchroniser_table.c: the table of clock synchronisation schemes. */
#include "sync/synchroniser_table.h"

#include "sync/sync_ring.h"
#include "sync/sync_star.h"
#include "sync/sync_tree.h"

static const struct synchroniser SYNCHRONISERS[] = {
    [SYNC_LINEAR] = {false, sync_star}, [SYNC_RING] = {false, sync_ring}, [SYNC_TREE] = {false, sync_tree},
    [SYNC_HCA3] = {true, sync_tree},    [SYNC_JK] = {true, sync_star},    [SYNC_NONE] = {false, sync_none},
};

const struct synchroniser *synchroniser_of(enum sync_choice choice)
{
    return &SYNCHRONISERS[choice];
}
