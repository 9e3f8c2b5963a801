/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * relation.h: what options ask of each other, of the number of processes, of operations and of sizes.
 *
 * A relation is data (relation_table.c): where all of `when` holds, `require` must hold; else the command line is
 * refused, or the row is not supported, with the text. Where a fact is unknown a relation asks nothing. The engine
 * checks by these relations, and --describe prints them, so that another program can refuse the same.
 */
#ifndef ISOCHRON_RELATION_H
#define ISOCHRON_RELATION_H

#include "base/condition.h"
#include "base/fault.h"

/* What a relation needs to know besides the options. */
enum relation_scope {
    RELATION_OPTIONS,   /* nothing */
    RELATION_LAUNCH,    /* the number of processes */
    RELATION_OPERATION, /* that and the operation */
    RELATION_CASE       /* that and the size */
};

enum relation_effect { RELATION_REFUSED, RELATION_NOT_SUPPORTED };

enum { RELATION_CONDITIONS = 4 };

struct relation {
    const char *name;
    enum relation_scope scope;
    enum relation_effect effect;
    struct condition when[RELATION_CONDITIONS]; /* ended by one of kind CONDITION_NONE */
    struct condition require;
    const char *text; /* with facts in braces (condition.h) */
};

/* Where `when` holds and the option is not given, its default is that word. */
struct implication {
    struct condition when;
    const char *option; /* with the dashes */
    const char *word;
};

bool relation_is_broken(const struct relation *relation, const struct facts *facts);

/* A usage fault with the text of the first relation of that scope that is broken. */
int relation_check(const struct relation *relations, size_t count, enum relation_scope scope, const struct facts *facts,
                   struct fault *fault);

/* The text of the first one of that scope for which the row is not supported; NULL: it is. Such texts name no facts. */
const char *relation_lacks(const struct relation *relations, size_t count, enum relation_scope scope,
                           const struct facts *facts);

#endif
