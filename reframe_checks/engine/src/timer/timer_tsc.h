/* SPDX-License-Identifier: BSD-3-Clause */
/* timer_tsc.h: the time stamp counter. */
#ifndef ISOCHRON_TIMER_TSC_H
#define ISOCHRON_TIMER_TSC_H

#include "timer/timer.h"

int64_t timer_tsc_now(const struct timer *timer);
int timer_tsc_start(struct timer *timer, MPI_Comm comm, struct fault *fault);
const char *timer_tsc_refusal(bool simulated);

#endif
