/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * condition.h: conditions as data, which the engine evaluates and --describe prints for other programs.
 *
 * A condition compares variables, which are looked up by name. If a variable is unknown the result is
 * CONDITION_UNKNOWN.
 */
#ifndef ISOCHRON_CONDITION_H
#define ISOCHRON_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct variable {
    enum { VARIABLE_UNKNOWN, VARIABLE_INTEGER, VARIABLE_REAL, VARIABLE_TEXT, VARIABLE_FLAG } kind;
    int64_t integer;
    double real; /* also set for an integer, to the nearest double */
    const char *text;
    bool flag;
};

static inline struct variable variable_integer(int64_t integer)
{
    return (struct variable){.kind = VARIABLE_INTEGER, .integer = integer, .real = (double)integer};
}

static inline struct variable variable_real(double real)
{
    return (struct variable){.kind = VARIABLE_REAL, .real = real};
}

static inline struct variable variable_text(const char *text)
{
    return (struct variable){.kind = VARIABLE_TEXT, .text = text};
}

static inline struct variable variable_flag(bool flag)
{
    return (struct variable){.kind = VARIABLE_FLAG, .flag = flag};
}

static inline struct variable variable_unknown(void)
{
    return (struct variable){.kind = VARIABLE_UNKNOWN};
}

/* A lookup of variables by name. */
struct variables {
    struct variable (*find)(const void *context, const char *name);
    const void *context;
};

enum condition_kind {
    CONDITION_NONE, /* the end of a list */
    CONDITION_TRUE, /* of a flag */
    CONDITION_FALSE,
    CONDITION_IS,       /* one of the values */
    CONDITION_IS_NOT,   /* none of the values */
    CONDITION_AT_MOST,  /* left * times <= right * factor, */
    CONDITION_BELOW,    /* <, */
    CONDITION_AT_LEAST, /* >= */
    CONDITION_MULTIPLE_OF,
    CONDITION_POWER_OF_TWO
};

enum { CONDITION_VALUES = 4 };

struct condition {
    const char *left; /* a variable */
    enum condition_kind kind;
    const char *times;                    /* a variable; NULL: 1 */
    const char *right;                    /* a variable; NULL: number */
    double number, factor;                /* factor 0 means 1 */
    const char *values[CONDITION_VALUES]; /* ended by NULL */
};

enum condition_result { CONDITION_FAILS, CONDITION_HOLDS, CONDITION_UNKNOWN };

enum condition_result condition_evaluate(const struct condition *condition, const struct variables *variables);

/* Return the name of a kind as --describe prints it, for example "at-most". */
const char *condition_name(enum condition_kind kind);

/*
 * Write text to line, with the value of each variable in place of its name in braces, as in "--root {root}". {limit}
 * is the largest value that satisfies the condition's left side.
 */
void condition_explain(const struct condition *condition, const struct variables *variables, const char *text,
                       char *line, size_t capacity);

#endif
