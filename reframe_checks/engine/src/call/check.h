/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check.h: known data for --check, filled before repetitions and verified after them, for every operation.
 *
 * Moved data: each byte depends on its sender, its receiver, its message, its thread and its index; if all receive the
 * same, the receiver counts as 0. Reduced data: element i of rank r in thread t is a small number, so that every sum is
 * exact; for a product it is 1 or -1.
 * Receive buffers are filled with other bytes first; memory that is updated, with the data that its process would send.
 */
#ifndef ISOCHRON_CHECK_H
#define ISOCHRON_CHECK_H

#include "call/call.h"
#include "machine/team.h"

#include <stdbool.h>

/*
 * The first wrong element: its index among all that the process receives, thread by thread; for moved data, bytes as
 * numbers.
 */
struct check {
    bool wrong;
    int rank;
    int64_t element;
    double expected, actual;
};

/* Fill the buffers in use with known data. */
void check_fill(const struct call *call);

/* Compare what this process has received with the expected result, unless an error has been found already. */
void check_verify(const struct call *call, struct check *check);

/* For tests of the check: change a bit of the first byte received on this process, by its last thread. */
void check_corrupt(const struct call *call);

/*
 * Collective: send the error of the lowest rank that found one to rank 0, not by what may be faulty: on another
 * communicator than the measured one, and by a single message.
 */
int check_agree(const struct team *team, struct check *check, struct fault *fault);

#endif
