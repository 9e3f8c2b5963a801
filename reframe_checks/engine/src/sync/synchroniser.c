/* SPDX-License-Identifier: BSD-3-Clause */
/* synchroniser.c: the synchronisers star, ring, tree and none, and their table (see synchroniser.h). */
#include "sync/synchroniser.h"

#include "clock/comparison.h"
#include "machine/team.h"
#include "sync/sync_pair.h"

#include <stdlib.h>

int sync_none(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
              struct synchronisation *sync, struct fault *fault)
{
    (void)plan;
    int64_t origin_ns = clock->timer.origin_ns;
    if (team_broadcast(team, &origin_ns, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    *sync = (struct synchronisation){.model = {.offset_ns = clock->timer.origin_ns - origin_ns}};
    return 0;
}

/*
 * linear, jk: rank 0 is the reference of all others; p - 1 comparisons in sequence.
 *
 * Offset only: the linear scheme of M. Kurnosov, MPIPerf, 2012. With drift: T. Jones, G. Koenig: Clock synchronization
 * in high-end computing environments, CCPE 2013; point by point over all ranks, so that every rank has the full span
 * without waiting p - 1 times.
 */
static int sync_star(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
                     struct synchronisation *sync, struct fault *fault)
{
    *sync = (struct synchronisation){0};
    if (team->rank == 0)
        return sync_pair_as_reference(team, clock, plan, 1, team->size, sync, fault);
    return sync_pair_as_client(team, clock, plan, 0, sync, fault);
}

/*
 * ring: every rank compares with its left neighbour, all pairs in two phases; rank 0 adds up the offsets (M. Kurnosov,
 * MPIPerf, 2012).
 *
 * O(1 + log p) rounds, but errors and bounds accumulate along the ring. The sums are computed on rank 0 and scattered:
 * a prefix sum by MPI_Scan would be slow on many processes, where the ring is meant to be fast. In phase 0 odd ranks
 * are clients, in phase 1 even ranks except 0.
 */
static int sync_ring_compare(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
                             struct estimate *estimate, struct fault *fault)
{
    for (int phase = 0; phase < 2; phase++) {
        const bool is_client = team->rank % 2 != phase;
        if (is_client && team->rank > 0 &&
            comparison_as_client(team, clock, plan->estimator, comparison_thorough(plan->patience), team->rank - 1,
                                 estimate, fault))
            return (int)fault->code;
        if (!is_client && team->rank + 1 < team->size && comparison_as_reference(team, clock, team->rank + 1, fault))
            return (int)fault->code;
    }
    return 0;
}

static int sync_ring(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
                     struct synchronisation *sync, struct fault *fault)
{
    struct estimate estimate = {0};
    const int64_t begin_ns = clock_now(clock);
    if (sync_ring_compare(team, clock, plan, &estimate, fault))
        return (int)fault->code;

    /* Pairs compare at different times, but the sum is for one time: allow for the drift in between. */
    const int64_t end_ns = clock_now(clock);
    const int64_t drifted_ns = team->rank == 0 ? 0 : (int64_t)(clock->max_drift * (double)(end_ns - begin_ns));
    int64_t mine[2] = {estimate.offset_ns, estimate.bound_ns + drifted_ns};
    int64_t *const all = team->rank == 0 ? calloc((size_t)team->size, sizeof mine) : NULL;
    if (team->rank == 0 && all == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the offsets of %d ranks", team->size);
    if (!team_gather(team, mine, all, 2, MPI_INT64_T, fault)) {
        for (int i = 2; all != NULL && i < 2 * team->size; i++)
            all[i] += all[i - 2];
        team_scatter(team, all, mine, 2, MPI_INT64_T, fault);
    }
    free(all);
    *sync = (struct synchronisation){
        .model = {.x0_ns = end_ns, .offset_ns = mine[0]},
        .bound_ns = mine[1],
        .max_drift = team->rank == 0 ? 0.0 : clock->max_drift,
        .exchanges = estimate.exchanges,
    };
    return (int)fault->code;
}

/*
 * tree, hca3: a process that has global time is the reference of others; log p rounds.
 *
 * Offset only: T. Hoefler, T. Schneider, A. Lumsdaine: Accurately measuring collective operations at massive scale,
 * IPDPS 2008. With drift: HCA3 (S. Hunold, A. Carpen-Amarie: Hierarchical clock synchronization in MPI, CLUSTER 2018).
 */
static int sync_tree_pair(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
                          int reference, int client, struct synchronisation *sync, struct fault *fault)
{
    if (team->rank == client)
        return sync_pair_as_client(team, clock, plan, reference, sync, fault);
    return sync_pair_as_reference(team, clock, plan, client, client + 1, sync, fault);
}

static int sync_tree(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
                     struct synchronisation *sync, struct fault *fault)
{
    const int rank = team->rank;
    int power = 1; /* the largest power of two up to p */
    while (2 * power <= team->size)
        power *= 2;
    *sync = (struct synchronisation){0};
    for (int step = power / 2; step > 0 && rank < power; step /= 2) {
        const int reference = rank - rank % (2 * step);
        if ((rank == reference || rank == reference + step) &&
            sync_tree_pair(team, clock, plan, reference, reference + step, sync, fault))
            return (int)fault->code;
    }
    if (rank >= power || rank + power < team->size)
        sync_tree_pair(team, clock, plan, rank % power, rank % power + power, sync, fault);
    return (int)fault->code;
}

static const struct synchroniser SYNCHRONISERS[] = {
    [SYNC_LINEAR] = {false, sync_star}, [SYNC_RING] = {false, sync_ring}, [SYNC_TREE] = {false, sync_tree},
    [SYNC_HCA3] = {true, sync_tree},    [SYNC_JK] = {true, sync_star},    [SYNC_NONE] = {false, sync_none},
};

const struct synchroniser *synchroniser_of(enum sync_choice choice)
{
    return &SYNCHRONISERS[choice];
}
