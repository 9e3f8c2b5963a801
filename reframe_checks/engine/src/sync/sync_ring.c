/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync_ring.c: every rank compares with its left neighbour, all pairs in two phases; rank 0 adds the offsets up.
 *
 * O(1 + log p) rounds, but errors and bounds add along the ring (Kurnosov, MPIPerf, 2012). The sums are made on rank 0
 * and scattered: a prefix sum by MPI_Scan would be slow just where the ring is meant to be fast.
 */
#include "sync/sync_ring.h"

#include "clock/pair.h"
#include "machine/team_talk.h"

#include <stdlib.h>

/* Phase 0: odd ranks ask, phase 1: even ranks but 0 ask. */
static int sync_ring_compare(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
                             struct estimate *estimate, struct fault *fault)
{
    for (int phase = 0; phase < 2; phase++) {
        const bool asks = team->rank % 2 != phase;
        if (asks && team->rank > 0 &&
            pair_ask(team, clock, plan->estimator, pair_thorough(plan->patience), team->rank - 1, estimate, fault))
            return (int)fault->code;
        if (!asks && team->rank + 1 < team->size && pair_answer(team, clock, team->rank + 1, fault))
            return (int)fault->code;
    }
    return 0;
}

int sync_ring(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
              struct synchronisation *own, struct fault *fault)
{
    struct estimate estimate = {0};
    const int64_t begin_ns = clock_now(clock);
    if (sync_ring_compare(team, clock, plan, &estimate, fault))
        return (int)fault->code;

    /* Pairs compare at different times, and the sum is of one time. */
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
    *own = (struct synchronisation){
        .model = {.x0_ns = end_ns, .offset_ns = mine[0]},
        .bound_ns = mine[1],
        .max_drift = team->rank == 0 ? 0.0 : clock->max_drift,
        .exchanges = estimate.exchanges,
    };
    return (int)fault->code;
}
