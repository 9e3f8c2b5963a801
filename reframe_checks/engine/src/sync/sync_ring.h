/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_ring.h: every rank compares with its left neighbour. */
#ifndef ISOCHRON_SYNC_RING_H
#define ISOCHRON_SYNC_RING_H

#include "sync/synchroniser.h"

int sync_ring(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
              struct synchronisation *own, struct fault *fault);

#endif
