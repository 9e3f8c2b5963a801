/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check.h: known data for --check, filled before runs and verified after them, for every operation.
 *
 * Moved data: each byte depends on the rank that sends it, the rank it is for and its place; where all receive the
 * same, the rank it is for counts as 0. Reduced data: element i of rank r is a small number, so that every sum is
 * exact; for a product it is 1 or -1. Receive buffers are filled with other bytes first.
 */
#ifndef ISOCHRON_CHECK_H
#define ISOCHRON_CHECK_H

#include "call/call.h"
#include "machine/team.h"

#include <stdbool.h>

/* The first wrong element: its place among all that the process receives; bytes as numbers where data are moved. */
struct check {
    bool wrong;
    int rank;
    int64_t element;
    double expected, found;
};

/* Known data into the buffers in use. */
void check_fill(const struct call *call);

/* What this process has received must be what one run makes of the known data; keeps an older finding. */
void check_verify(const struct call *call, struct check *check);

/* For tests of the check: changes a bit of the first byte received on this process. */
void check_corrupt(const struct call *call);

/*
 * Collective: the finding of the lowest rank that has one goes to rank 0. It does not travel by what may be wrong: not
 * on the measured communicator, and to rank 0 by single messages.
 */
int check_agree(const struct team *team, struct check *check, struct fault *fault);

#endif
