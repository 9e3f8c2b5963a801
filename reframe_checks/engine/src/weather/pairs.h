/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.h: pairs of processes of a host that share a cache line. */
#ifndef ISOCHRON_PAIRS_H
#define ISOCHRON_PAIRS_H

#include "instruments/cache_line.h"
#include "machine/environment.h"

/*
 * Collective: the line of this process, none where it has no partner or they share no memory, and on all processes the
 * number of pairs.
 */
int pairs_join(const struct team *team, const struct environment *environment, struct cache_line *line, int64_t *pairs,
               struct fault *fault);

#endif
