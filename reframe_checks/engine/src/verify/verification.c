/* SPDX-License-Identifier: BSD-3-Clause */
/* verification.c: re-measures the corrected clocks (see verification.h). */
#include "verify/verification.h"

#include "clock/pair.h"
#include "estimate/estimator_table.h"
#include "machine/team_agree.h"
#include "machine/team_talk.h"

#include <stdlib.h>

/* The ranks to verify, in ascending order; the same list on every process. */
static int verification_choose(int size, int64_t ranks[VERIFICATION_RANKS + 1])
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

/* One rank against rank 0; the result travels with a message of its own. */
static int verification_pair(const struct team *team, const struct clock *clock, int client, int64_t result[2],
                             struct fault *fault)
{
    if (team->rank == 0) {
        if (pair_answer(team, clock, client, fault))
            return (int)fault->code;
        return team_receive(team, result, 2, MPI_INT64_T, client, TEAM_TAG_PAIR, fault);
    }
    struct estimate estimate;
    if (pair_ask(team, clock, estimator_of(ESTIMATOR_ENVELOPE), pair_thorough(PAIR_PATIENCE), 0, &estimate, fault))
        return (int)fault->code;
    const int64_t own[2] = {estimate.offset_ns, estimate.bound_ns};
    return team_send(team, own, 2, MPI_INT64_T, 0, TEAM_TAG_PAIR, fault);
}

int verification_run(const struct team *team, const struct clock *clock, struct verification *verification,
                     struct fault *fault)
{
    *verification = (struct verification){0};
    verification->count = verification_choose(team->size, verification->ranks);
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

void verification_add_worst(const struct verification *verification, struct verification_worst *worst)
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
