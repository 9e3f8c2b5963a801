/* SPDX-License-Identifier: BSD-3-Clause */
/* sync_tree.h: who knows the time teaches others. */
#ifndef ISOCHRON_SYNC_TREE_H
#define ISOCHRON_SYNC_TREE_H

#include "sync/synchroniser.h"

int sync_tree(const struct team *team, const struct clock *clock, const struct sync_plan *plan,
              struct synchronisation *own, struct fault *fault);

#endif
