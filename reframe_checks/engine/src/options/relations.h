/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * relations.h: relations between options, the number of processes, operations and sizes.
 *
 * A relation is data: if all conditions of `when` hold, `require` must hold; otherwise the command line is refused, or
 * the operation is not supported, with the text. A relation with an unknown variable is not broken. The engine checks
 * these relations, and --describe prints them, so that another program can refuse the same command lines.
 */
#ifndef ISOCHRON_RELATIONS_H
#define ISOCHRON_RELATIONS_H

#include "base/condition.h"
#include "base/fault.h"

/* The variables of a relation besides the options. */
enum relation_scope {
    RELATION_OPTIONS,   /* none */
    RELATION_LAUNCH,    /* the number of processes */
    RELATION_OPERATION, /* also the operation */
    RELATION_CASE       /* also the size */
};

enum relation_effect { RELATION_REFUSED, RELATION_NOT_SUPPORTED };

enum { RELATION_CONDITIONS = 4 };

struct relation {
    const char *name;
    enum relation_scope scope;
    enum relation_effect effect;
    struct condition when[RELATION_CONDITIONS]; /* ended by kind CONDITION_NONE */
    struct condition require;
    const char *text; /* with variables in braces (condition.h) */
};

/* If `when` holds and the option is not on the command line, its default is this value. */
struct implication {
    struct condition when;
    const char *option; /* with the dashes */
    const char *value;
};

/* Set a usage fault with the text of the first broken relation of that scope. */
int relation_check(const struct relation *relations, size_t count, enum relation_scope scope,
                   const struct variables *variables, struct fault *fault);

/* Return the text of the first broken relation of that scope that makes the case not supported; NULL: supported. */
const char *relation_why_not_supported(const struct relation *relations, size_t count, enum relation_scope scope,
                                       const struct variables *variables);

/* Return a table and set *count to its length. */
const struct relation *relation_table(size_t *count);
const struct implication *implication_table(size_t *count);

#endif
