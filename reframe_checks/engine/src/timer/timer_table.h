/* SPDX-License-Identifier: BSD-3-Clause */
/* timer_table.h: the timers by name. */
#ifndef ISOCHRON_TIMER_TABLE_H
#define ISOCHRON_TIMER_TABLE_H

#include "timer/timer.h"

/* The table, ended by an entry without a name. */
const struct timer_kind *timer_table(void);

const struct timer_kind *timer_find(const char *name);

#endif
