/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arrival.h: the arrival pattern: the offset of each process from the start of the slot, in ns.
 *
 * The processes of a program seldom arrive at a collective at the same time, and algorithms differ in how they suffer
 * from that: A. Faraj, P. Patarasuk, X. Yuan: A study of process arrival patterns for MPI collective operations, 2008.
 * The pattern is part of the schedule and the same for all repetitions: a process that keeps to its offset is not late.
 */
#ifndef ISOCHRON_ARRIVAL_H
#define ISOCHRON_ARRIVAL_H

#include "base/fault.h"
#include "option_values/grammar.h"

#include <stdint.h>

/* In the order of ARRIVAL_FORMS. */
enum arrival_kind { ARRIVAL_NONE, ARRIVAL_ASCENDING, ARRIVAL_DESCENDING, ARRIVAL_RANDOM, ARRIVAL_ONE_LATE };

extern const struct grammar_form ARRIVAL_FORMS[];

struct arrival {
    enum arrival_kind kind;
    uint64_t seed;
    int64_t spread_ns; /* from the earliest to the latest offset of the pattern */
};

/* Parse none|ascending|descending|random:SEED|one-late:US; spread_us applies to all but one-late. */
int arrival_parse(const char *text, double spread_us, struct arrival *arrival, struct fault *fault);

/* Return true if all processes arrive at the same time. */
bool arrival_is_none(const struct arrival *arrival);

/* Return the offset of a rank of the measured communicator. */
int64_t arrival_offset(const struct arrival *arrival, int rank, int size);

#endif
