/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * look.h: looks at the clocks while a row is measured, between batches: a clock may be false for a part of a row only.
 *
 * The first look follows the first batch, and all together take a fiftieth of the row's time. Announcements are
 * listened to all the time (verify/causality.h). Not done where nobody can be wrong about the time.
 */
#ifndef ISOCHRON_LOOK_H
#define ISOCHRON_LOOK_H

#include "measure/measure.h"

/* Rank 0: whether the clocks are looked at after the next batch, which announces it. */
bool look_is_due(const struct measure *m);

/* Collective: one look. */
int look_now(struct measure *m, struct fault *fault);

/* Collective: the last look, and what all of the row have found. */
int look_judge(struct measure *m, struct causality *causality, struct fault *fault);

#endif
