/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock_check.h: checks of the clocks between the batches of a measurement: a clock may be false for part of it only.
 *
 * The first check follows the first batch, and all together take a fiftieth of the time. Announcements are checked
 * throughout (verify/causality.h). Without effect if no process can have a wrong time.
 */
#ifndef ISOCHRON_CLOCK_CHECK_H
#define ISOCHRON_CLOCK_CHECK_H

#include "measure/measure_batch.h"

/* Rank 0: return true if a check is due after the next batch, which announces it. */
bool clock_check_is_due(const struct measure *m);

/* Collective: perform one check. */
int clock_check_perform(struct measure *m, struct fault *fault);

/* Collective: perform the last check, and combine all of the pass. */
int clock_check_conclude(struct measure *m, struct causality *causality, struct fault *fault);

#endif
