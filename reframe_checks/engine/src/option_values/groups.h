/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * groups.h: the groups of processes that execute an operation at the same time, each in a communicator of its own.
 *
 * All start together, and a repetition lasts until the last process of any group has ended (Multi- in PMB and IMB).
 * Processes that are in no group wait: their times are not part of a repetition.
 */
#ifndef ISOCHRON_GROUPS_H
#define ISOCHRON_GROUPS_H

#include "base/fault.h"
#include "option_values/grammar.h"

/* In the order of GROUPS_FORMS. */
enum groups_kind { GROUPS_ALL, GROUPS_NODE, GROUPS_HALVES, GROUPS_STRIDED, GROUPS_SIZE, GROUPS_ACTIVE };

extern const struct grammar_form GROUPS_FORMS[];

struct groups {
    enum groups_kind kind;
    int number; /* after the colon */
};

enum { GROUPS_IDLE = -1 };

/* Parse all|node|halves|strided:N|size:N|active:N. */
int groups_parse(const char *text, struct groups *groups, struct fault *fault);

/*
 * Return the group of a rank, from 0, or GROUPS_IDLE: halves: the first half of the ranks, which has one more if their
 * number is odd, and the second; strided: N groups, rank modulo N; size: consecutive ranks, those left over are idle;
 * active: the first N. With GROUPS_NODE, groups are hosts: not to be called.
 */
int groups_of(const struct groups *groups, int rank, int size);

struct groups_shape {
    int count;
    int smallest; /* processes of the smallest group; 0: there are too few for such groups */
    int active;   /* processes that are in a group */
};

/* Return the shape of the groups of size processes; with GROUPS_NODE, count and smallest are unknown, and 0. */
struct groups_shape groups_shape(const struct groups *groups, int size);

#endif
