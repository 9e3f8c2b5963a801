/* SPDX-License-Identifier: BSD-3-Clause */
/* synchroniser.c: what all clock synchronisation schemes share, and the one that does nothing. */
#include "sync/synchroniser.h"

#include "machine/team_talk.h"

#include <stdlib.h>

/* Standard errors within which an estimate is taken to be. */
static const double SYNCHRONISER_SIGMAS = 4.0;

int64_t synchronisation_growth(const struct synchronisation *own, int64_t timer_ns)
{
    const double age_ns = (double)llabs(timer_ns - own->model.x0_ns);
    return (int64_t)((own->max_drift + SYNCHRONISER_SIGMAS * own->slope_se) * age_ns);
}

int64_t synchronisation_bound(const struct synchronisation *own, int64_t timer_ns)
{
    return own->bound_ns + synchronisation_growth(own, timer_ns);
}

int sync_none(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
              struct synchronisation *own, struct fault *fault)
{
    (void)plan;
    int64_t origin_ns = clock->timer.origin_ns;
    if (team_broadcast(team, &origin_ns, 1, MPI_INT64_T, fault))
        return (int)fault->code;
    *own = (struct synchronisation){.model = {.offset_ns = clock->timer.origin_ns - origin_ns}};
    return 0;
}
