/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * turn_order.h: who has which turn, when several launches (residents) measure on the same processors in turns.
 *
 * Turns are numbered from 0: first a prologue turn of each resident, in which it starts; then the rounds, in each of
 * which every resident has one turn, passes over all cases in a row; then an epilogue turn of each resident, in which
 * it writes its file. Every resident computes all of this alone from the plan.
 *
 * The order within rounds is that of the rows of a Williams design (E. J. Williams: Experimental designs balanced for
 * the estimation of residual effects of treatments, 1949): over N rows (N even) or 2 N rows (N odd), every resident has
 * every position, and follows each other one, equally often. The seed relabels the residents and selects the first row.
 */
#ifndef ISOCHRON_TURN_ORDER_H
#define ISOCHRON_TURN_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum { TURN_MAX_RESIDENTS = 32 };

/* The same for all residents. */
struct turn_plan {
    uint64_t seed;
    int32_t residents; /* 2 to TURN_MAX_RESIDENTS */
    int32_t last;      /* the resident with the last epilogue turn; -1: they are in the order of the residents */
    int64_t rounds;
    int64_t cases; /* of a pass: residents must measure the same */
};

enum turn_kind { TURN_PROLOGUE, TURN_ROUND, TURN_EPILOGUE };

struct turn {
    enum turn_kind kind;
    int resident;
    int64_t round;
    int position; /* in the round */
};

/* Return the number of rows of the design. */
int turn_rows(const struct turn_plan *plan);

/* Return the number of all turns. */
uint32_t turn_count(const struct turn_plan *plan);

/* Return the turn of that number, below turn_count. */
struct turn turn_of(const struct turn_plan *plan, uint32_t number);

/* Return the number of a resident's turn in a round, and of its other two turns. */
uint32_t turn_in_round(const struct turn_plan *plan, int resident, int64_t round);
uint32_t turn_prologue(const struct turn_plan *plan, int resident);
uint32_t turn_epilogue(const struct turn_plan *plan, int resident);

/* Return true for the resident with the last epilogue turn. */
bool turn_ends_last(const struct turn_plan *plan, int resident);

#endif
