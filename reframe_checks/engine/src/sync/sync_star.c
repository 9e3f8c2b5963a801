/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync_star.c: everybody learns from rank 0, p - 1 comparisons one after the other.
 *
 * Offset alone: the linear scheme (Kurnosov, MPIPerf, 2012). With drift: T. Jones, G. Koenig: Clock synchronization in
 * high-end computing environments, CCPE 2013; comparison by comparison over all ranks, so that the span is long for
 * everybody without p - 1 times the wait.
 */
#include "sync/sync_star.h"

#include "sync/lesson.h"

int sync_star(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
              struct synchronisation *own, struct fault *fault)
{
    *own = (struct synchronisation){0};
    if (team->rank == 0)
        return lesson_teach(team, clock, plan, 1, team->size, own, fault);
    return lesson_learn(team, clock, plan, 0, own, fault);
}
