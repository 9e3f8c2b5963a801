/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_star.h: everybody learns from rank 0. */
#ifndef ISOCHRON_SYNC_STAR_H
#define ISOCHRON_SYNC_STAR_H

#include "sync/synchroniser.h"

int sync_star(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
              struct synchronisation *own, struct fault *fault);

#endif
