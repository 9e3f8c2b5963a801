/* SPDX-License-Identifier: BSD-3-Clause */
/* timer_table.h: the timers. */
#ifndef ISOCHRON_TIMER_TABLE_H
#define ISOCHRON_TIMER_TABLE_H

#include "timer/timer.h"

const struct timer_kind *timer_of(enum timer_choice choice);

#endif
