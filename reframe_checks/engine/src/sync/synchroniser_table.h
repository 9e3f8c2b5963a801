/* SPDX-License-Identifier: BSD-3-Clause */
/* synchroniser_table.h: the clock synchronisation schemes. */
#ifndef ISOCHRON_SYNCHRONISER_TABLE_H
#define ISOCHRON_SYNCHRONISER_TABLE_H

#include "sync/synchroniser.h"
#include "words/choices.h"

const struct synchroniser *synchroniser_of(enum sync_choice choice);

#endif
