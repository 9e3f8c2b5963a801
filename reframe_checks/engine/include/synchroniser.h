/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * synchroniser.h: relates the clocks of all processes to that of rank 0. One file and one table line a scheme.
 */
#ifndef ISOCHRON_SYNCHRONISER_H
#define ISOCHRON_SYNCHRONISER_H

#include "clock.h"
#include "estimator.h"
#include "team.h"

/* What a process knows of its own clock. */
struct synchronisation {
    int64_t offset_ns; /* global = timer + offset */
    int64_t bound_ns;  /* half width of the hard interval, along the whole way to rank 0 */
    int64_t exchanges;
};

struct synchroniser {
    const char *name;
    /* Collective. clock has offset 0. */
    int (*run)(const struct team *team, const struct clock *clock, const struct estimator *estimator,
               struct synchronisation *own, struct fault *fault);
};

const struct synchroniser *synchroniser_find(const char *name);

/* The names that synchroniser_find knows, "a, b, c". */
void synchroniser_names(char *names, size_t capacity);

int sync_none(const struct team *team, const struct clock *clock, const struct estimator *estimator,
              struct synchronisation *own, struct fault *fault);
int sync_linear(const struct team *team, const struct clock *clock, const struct estimator *estimator,
                struct synchronisation *own, struct fault *fault);
int sync_ring(const struct team *team, const struct clock *clock, const struct estimator *estimator,
              struct synchronisation *own, struct fault *fault);

#endif
