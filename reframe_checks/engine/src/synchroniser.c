/* SPDX-License-Identifier: BSD-3-Clause */
/* synchroniser.c: the table of clock synchronisation schemes, and the scheme that does nothing. */
#include "synchroniser.h"

#include <stdlib.h>
#include <string.h>

static const struct synchroniser SYNCHRONISERS[] = {
    {"linear", false, sync_star},
    {"ring", false, sync_ring},
    {"tree", false, sync_tree},
    {"hca3", true, sync_tree},
    {"jk", true, sync_star},
    {"none", false, sync_none},
};

const struct synchroniser *synchroniser_find(const char *name)
{
    for (size_t i = 0; i < sizeof SYNCHRONISERS / sizeof SYNCHRONISERS[0]; i++)
        if (strcmp(SYNCHRONISERS[i].name, name) == 0)
            return &SYNCHRONISERS[i];
    return NULL;
}

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

/* Trusts that all raw clocks are one clock, and only gives them one origin: that of rank 0. */
int sync_none(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
              struct synchronisation *own, struct fault *fault)
{
    (void)plan;
    int64_t origin_ns = clock->timer.origin_ns;
    if (team_mpi(fault, MPI_Bcast(&origin_ns, 1, MPI_INT64_T, 0, team->comm), "MPI_Bcast"))
        return (int)fault->code;
    *own = (struct synchronisation){.model = {.offset_ns = clock->timer.origin_ns - origin_ns}};
    return 0;
}
