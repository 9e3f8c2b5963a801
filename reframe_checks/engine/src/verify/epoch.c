/* SPDX-License-Identifier: BSD-3-Clause */
/* epoch.c: what the clocks were at both ends of an epoch (see epoch.h). */
#include "verify/epoch.h"

#include "machine/team_talk.h"

#include <stdlib.h>

/* The list with one entry of every rank, on rank 0. */
static int epoch_gather_numbers(const struct team *team, int64_t own, int64_t **all, struct fault *fault)
{
    *all = team->rank == 0 ? calloc((size_t)team->size, sizeof **all) : NULL;
    if (team->rank == 0 && *all == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the clocks of %d ranks", team->size);
    return team_gather(team, &own, *all, 1, MPI_INT64_T, fault);
}

int epoch_gather(const struct team *team, struct epoch *epoch, struct fault *fault)
{
    const int bytes = (int)sizeof *epoch->ranks;
    epoch->ranks = team->rank == 0 ? calloc((size_t)team->size, sizeof *epoch->ranks) : NULL;
    if (team->rank == 0 && epoch->ranks == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the clocks of %d ranks", team->size);
    return team_gather(team, &epoch->own, epoch->ranks, bytes, MPI_BYTE, fault);
}

int epoch_look(const struct team *team, const struct clock *clock, const struct synthetic_clock_spec *spec,
               const struct synchronisation *own, struct epoch_state *state, struct fault *fault)
{
    int64_t own_ns = timer_now(&clock->timer), root_ns = 0;
    if (spec->given) {
        synthetic_clock_truth(spec, clock->timer.test, &clock->timer, &own_ns, &root_ns);
        if (epoch_gather_numbers(team, root_ns - clock_global(&clock->model, own_ns), &state->truth_ns, fault))
            return (int)fault->code;
    }
    if (epoch_gather_numbers(team, synchronisation_bound(own, own_ns), &state->bound_ns, fault))
        return (int)fault->code;
    return verification_run(team, clock, &state->verification, fault);
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
