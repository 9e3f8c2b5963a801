/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_linear.c: ranks 1 to p - 1 compare with rank 0 in turn, p - 1 rounds (Kurnosov, MPIPerf, 2012). */
#include "synchroniser.h"

#include "pair.h"

int sync_linear(const struct team *team, const struct clock *clock, const struct estimator *estimator,
                struct synchronisation *own, struct fault *fault)
{
    *own = (struct synchronisation){0};
    if (team->rank == 0) {
        for (int client = 1; client < team->size; client++)
            if (pair_answer(team, clock, client, fault))
                return (int)fault->code;
        return 0;
    }
    struct estimate estimate;
    if (pair_ask(team, clock, estimator, 0, &estimate, fault))
        return (int)fault->code;
    *own = (struct synchronisation){estimate.offset_ns, estimate.bound_ns, estimate.exchanges};
    return 0;
}
