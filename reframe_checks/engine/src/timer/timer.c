/* SPDX-License-Identifier: BSD-3-Clause */
/* timer.c: opens a timer on all processes (see timer.h). */
#include "timer/timer.h"

#include "machine/team_agree.h"

int timer_open(struct timer *timer, const struct timer_kind *kind, bool simulated, const struct team *team,
               struct fault *fault)
{
    *timer = (struct timer){.kind = kind, .simulated = simulated};
    const char *const refusal = kind->refusal == NULL ? NULL : kind->refusal(simulated);
    if (refusal != NULL)
        fault_set(fault, FAULT_ENVIRONMENT, "--timer %s: %s; take another timer", TIMER_WORDS[kind->choice], refusal);
    /* One process that is refused must not leave the others waiting in a collective start. */
    int worst = (int)fault->code;
    if (team_maximum(team, &worst, 1, MPI_INT, fault))
        return (int)fault->code;
    return worst != 0 ? worst : kind->start(timer, team->comm, fault);
}
