/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lesson.h: one process learns global time from others that know it already. The step that star and tree are made of.
 *
 * With one comparison the client learns its offset. With more, spread over a span, it learns its drift too (S. Hunold,
 * A. Carpen-Amarie: Hierarchical clock synchronization in MPI, CLUSTER 2018): the teacher answers in time that is
 * corrected already, so nothing has to be merged afterwards. A slope below two standard errors is no slope: the offset
 * alone is kept, and the slope's size becomes part of the bound.
 */
#ifndef ISOCHRON_LESSON_H
#define ISOCHRON_LESSON_H

#include "sync/synchroniser.h"

/* Teaches ranks first to end - 1, comparison by comparison; own is what the teacher knows of its clock. */
int lesson_teach(const struct team *team, const struct clock *clock, const struct sync_plan *plan, int first, int end,
                 const struct synchronisation *own, struct fault *fault);

/* The other side: fills own. */
int lesson_learn(const struct team *team, const struct clock *clock, const struct sync_plan *plan, int teacher,
                 struct synchronisation *own, struct fault *fault);

#endif
