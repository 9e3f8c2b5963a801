/* SPDX-License-Identifier: BSD-3-Clause */
/* synchroniser_table.h: the clock synchronisation schemes by name. */
#ifndef ISOCHRON_SYNCHRONISER_TABLE_H
#define ISOCHRON_SYNCHRONISER_TABLE_H

#include "sync/synchroniser.h"

const struct synchroniser *synchroniser_find(const char *name);

#endif
