/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arrival.h: when each process comes to a run, after the start of the slot. A form and a function a pattern.
 *
 * Programs seldom come to a collective all at once, and what they wait for differs by algorithm: A. Faraj,
 * P. Patarasuk, X. Yuan: A study of process arrival patterns for MPI collective operations, 2008. The pattern is a part
 * of the schedule and the same for all runs: a process that keeps its offset is not late.
 */
#ifndef ISOCHRON_ARRIVAL_H
#define ISOCHRON_ARRIVAL_H

#include "base/fault.h"
#include "words/grammar.h"

#include <stdint.h>

/* In the order of ARRIVAL_FORMS. */
enum arrival_kind { ARRIVAL_NONE, ARRIVAL_ASCENDING, ARRIVAL_DESCENDING, ARRIVAL_RANDOM, ARRIVAL_ONE_LATE };

extern const struct grammar_form ARRIVAL_FORMS[];

struct arrival {
    enum arrival_kind kind;
    uint64_t seed;
    int64_t spread_ns; /* from the first to the last that the pattern allows */
};

/* Reads none|ascending|descending|random:SEED|one-late:US; spread_us is for those that do not name their own. */
int arrival_parse(const char *word, double spread_us, struct arrival *arrival, struct fault *fault);

/* Whether all processes come at once. */
bool arrival_is_none(const struct arrival *arrival);

/* Offset of one rank of the measured communicator. */
int64_t arrival_offset(const struct arrival *arrival, int rank, int size);

#endif
