/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync_tree.c: who knows the time teaches others, log p rounds.
 *
 * Offset alone: T. Hoefler, T. Schneider, A. Lumsdaine: Accurately measuring collective operations at massive scale,
 * IPDPS 2008. With drift: HCA3 (S. Hunold, A. Carpen-Amarie: Hierarchical clock synchronization in MPI, CLUSTER 2018).
 */
#include "sync/sync_tree.h"

#include "sync/lesson.h"

static int sync_tree_pair(const struct team *team, const struct clock *clock, const struct sync_plan *plan, int teacher,
                          int client, struct synchronisation *own, struct fault *fault)
{
    if (team->rank == client)
        return lesson_learn(team, clock, plan, teacher, own, fault);
    return lesson_teach(team, clock, plan, client, client + 1, own, fault);
}

int sync_tree(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
              struct synchronisation *own, struct fault *fault)
{
    const int rank = team->rank;
    int power = 1; /* largest power of two that is no more than p */
    while (2 * power <= team->size)
        power *= 2;
    *own = (struct synchronisation){0};
    for (int step = power / 2; step > 0 && rank < power; step /= 2) {
        const int teacher = rank - rank % (2 * step);
        if ((rank == teacher || rank == teacher + step) &&
            sync_tree_pair(team, clock, plan, teacher, teacher + step, own, fault))
            return (int)fault->code;
    }
    if (rank >= power || rank + power < team->size)
        sync_tree_pair(team, clock, plan, rank % power, rank % power + power, own, fault);
    return (int)fault->code;
}
