/* SPDX-License-Identifier: BSD-3-Clause */
/* synchroniser.c: the table of clock synchronisation schemes, and the scheme that does nothing. */
#include "synchroniser.h"

#include <stdio.h>
#include <string.h>

static const struct synchroniser SYNCHRONISERS[] = {
    {"linear", sync_linear},
    {"ring", sync_ring},
    {"none", sync_none},
};

enum { SYNCHRONISER_COUNT = sizeof SYNCHRONISERS / sizeof SYNCHRONISERS[0] };

const struct synchroniser *synchroniser_find(const char *name)
{
    for (size_t i = 0; i < SYNCHRONISER_COUNT; i++)
        if (strcmp(SYNCHRONISERS[i].name, name) == 0)
            return &SYNCHRONISERS[i];
    return NULL;
}

void synchroniser_names(char *names, size_t capacity)
{
    names[0] = '\0';
    for (size_t i = 0, used = 0; i < SYNCHRONISER_COUNT && used < capacity; i++)
        used += (size_t)snprintf(names + used, capacity - used, "%s%s", i == 0 ? "" : ", ", SYNCHRONISERS[i].name);
}

/* Trusts that all raw clocks are one clock, and only gives them one origin: that of rank 0. */
int sync_none(const struct team *team, const struct clock *clock, const struct estimator *estimator,
              struct synchronisation *own, struct fault *fault)
{
    (void)estimator;
    int64_t origin_ns = clock->timer.origin_ns;
    if (team_mpi(fault, MPI_Bcast(&origin_ns, 1, MPI_INT64_T, 0, team->comm), "MPI_Bcast"))
        return (int)fault->code;
    *own = (struct synchronisation){.offset_ns = clock->timer.origin_ns - origin_ns};
    return 0;
}
