/* SPDX-License-Identifier: BSD-3-Clause */
/* verification.c: re-measures the corrected clocks (see verification.h). */
#include "verify/verification.h"

#include "clock/comparison.h"
#include "estimate/estimator.h"
#include "machine/team.h"

#include <stdlib.h>

/* Select the ranks to verify, in ascending order; the same list on every process. */
static int verification_select(int size, int64_t ranks[VERIFICATION_RANKS + 1])
{
    int power = 1;
    while (2 * power < size)
        power *= 2;
    const int sampled = size <= VERIFICATION_RANKS ? size : VERIFICATION_RANKS;
    int count = 0;
    for (int i = 0; i < sampled; i++) {
        const int64_t rank = sampled == 1 ? 0 : (int64_t)i * (size - 1) / (sampled - 1);
        if (count > 0 && ranks[count - 1] < power && power < rank)
            ranks[count++] = power;
        ranks[count++] = rank;
    }
    return count;
}

/* Compare one rank with rank 0, and send the result there. */
static int verification_pair(const struct team *team, const struct clock *clock, int client, int64_t result[2],
                             struct fault *fault)
{
    if (team->rank == 0) {
        if (comparison_as_reference(team, clock, client, fault))
            return (int)fault->code;
        return team_receive(team, result, 2, MPI_INT64_T, client, TEAM_TAG_COMPARISON, fault);
    }
    struct estimate estimate;
    if (comparison_as_client(team, clock, estimator_of(ESTIMATOR_ENVELOPE), comparison_thorough(COMPARISON_PATIENCE), 0,
                             &estimate, fault))
        return (int)fault->code;
    const int64_t sync[2] = {estimate.offset_ns, estimate.bound_ns};
    return team_send(team, sync, 2, MPI_INT64_T, 0, TEAM_TAG_COMPARISON, fault);
}

static int verification_measure(const struct team *team, const struct clock *clock, struct verification *verification,
                                struct fault *fault)
{
    *verification = (struct verification){0};
    verification->count = verification_select(team->size, verification->ranks);
    if (team_meet(team, fault))
        return (int)fault->code;
    for (int i = 1; i < verification->count; i++) {
        const int client = (int)verification->ranks[i];
        int64_t result[2] = {0, 0};
        if (team->rank != 0 && team->rank != client)
            continue;
        if (verification_pair(team, clock, client, result, fault))
            return (int)fault->code;
        verification->error_ns[i] = result[0];
        verification->bound_ns[i] = result[1];
    }
    return team_meet(team, fault);
}

/* Raise *worst to the figures of this verification. */
static void verification_add_worst(const struct verification *verification, struct verification_worst *worst)
{
    for (int i = 0; i < verification->count; i++) {
        const int64_t error_ns = llabs(verification->error_ns[i]);
        const int64_t bound_ns = verification->bound_ns[i];
        if (error_ns > worst->error_ns) {
            worst->error_ns = error_ns;
            worst->rank = verification->ranks[i];
        }
        if (error_ns > bound_ns && error_ns > worst->certain_ns)
            worst->certain_ns = error_ns;
        if (bound_ns > worst->bound_ns)
            worst->bound_ns = bound_ns;
    }
}

/* Gather one value of every rank on rank 0. */
static int epoch_gather_numbers(const struct team *team, int64_t sync, int64_t **all, struct fault *fault)
{
    *all = team->rank == 0 ? calloc((size_t)team->size, sizeof **all) : NULL;
    if (team->rank == 0 && *all == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the clocks of %d ranks", team->size);
    return team_gather(team, &sync, *all, 1, MPI_INT64_T, fault);
}

int epoch_gather(const struct team *team, struct epoch *epoch, struct fault *fault)
{
    const int bytes = (int)sizeof *epoch->ranks;
    epoch->ranks = team->rank == 0 ? calloc((size_t)team->size, sizeof *epoch->ranks) : NULL;
    if (team->rank == 0 && epoch->ranks == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the clocks of %d ranks", team->size);
    return team_gather(team, &epoch->sync, epoch->ranks, bytes, MPI_BYTE, fault);
}

int epoch_verify(const struct team *team, const struct clock *clock, const struct synthetic_clock_spec *spec,
                 const struct synchronisation *sync, struct epoch_state *state, struct fault *fault)
{
    int64_t local_ns = timer_now(&clock->timer), root_ns = 0;
    if (spec->present) {
        synthetic_clock_truth(spec, clock->timer.test, &clock->timer, &local_ns, &root_ns);
        if (epoch_gather_numbers(team, root_ns - clock_global(&clock->model, local_ns), &state->truth_ns, fault))
            return (int)fault->code;
    }
    if (epoch_gather_numbers(team, synchronisation_bound(sync, local_ns), &state->bound_ns, fault))
        return (int)fault->code;
    return verification_measure(team, clock, &state->verification, fault);
}

struct verification_worst epoch_worst(const struct epoch *epochs, size_t count)
{
    struct verification_worst worst = {0};
    for (size_t i = 0; i < count; i++) {
        verification_add_worst(&epochs[i].before.verification, &worst);
        verification_add_worst(&epochs[i].after.verification, &worst);
    }
    return worst;
}

void epoch_free(struct epoch *epoch)
{
    free(epoch->ranks);
    free(epoch->before.bound_ns);
    free(epoch->before.truth_ns);
    free(epoch->after.bound_ns);
    free(epoch->after.truth_ns);
    *epoch = (struct epoch){0};
}
