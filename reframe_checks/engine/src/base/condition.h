/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * condition.h: conditions as data: what the engine asks of words and numbers, and --describe tells to other programs.
 *
 * A condition is about facts that are found by name. Where a fact is unknown the condition is neither true nor false.
 */
#ifndef ISOCHRON_CONDITION_H
#define ISOCHRON_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fact {
    enum { FACT_UNKNOWN, FACT_INTEGER, FACT_REAL, FACT_WORD, FACT_FLAG } kind;
    int64_t integer;
    double real; /* of an integer, too, as nearly as can be */
    const char *word;
    bool flag;
};

static inline struct fact fact_integer(int64_t integer)
{
    return (struct fact){.kind = FACT_INTEGER, .integer = integer, .real = (double)integer};
}

static inline struct fact fact_real(double real)
{
    return (struct fact){.kind = FACT_REAL, .real = real};
}

static inline struct fact fact_word(const char *word)
{
    return (struct fact){.kind = FACT_WORD, .word = word};
}

static inline struct fact fact_flag(bool flag)
{
    return (struct fact){.kind = FACT_FLAG, .flag = flag};
}

static inline struct fact fact_unknown(void)
{
    return (struct fact){.kind = FACT_UNKNOWN};
}

/* Where facts are found. */
struct facts {
    struct fact (*find)(const void *from, const char *name);
    const void *from;
};

enum condition_kind {
    CONDITION_NONE, /* the end of a list */
    CONDITION_TRUE, /* of a flag */
    CONDITION_FALSE,
    CONDITION_IS,       /* one of words */
    CONDITION_IS_NOT,   /* none of them */
    CONDITION_AT_MOST,  /* left * times <= right * factor, */
    CONDITION_BELOW,    /* <, */
    CONDITION_AT_LEAST, /* >= */
    CONDITION_MULTIPLE_OF,
    CONDITION_POWER_OF_TWO
};

enum { CONDITION_WORDS = 4 };

struct condition {
    const char *left; /* a fact */
    enum condition_kind kind;
    const char *times;                  /* a fact; NULL: 1 */
    const char *right;                  /* a fact; NULL: number */
    double number, factor;              /* factor 0 stands for 1 */
    const char *words[CONDITION_WORDS]; /* ended by NULL */
};

enum condition_answer { CONDITION_FAILS, CONDITION_HOLDS, CONDITION_UNKNOWN };

enum condition_answer condition_ask(const struct condition *condition, const struct facts *facts);

/* The name of a kind for other programs, as "at-most". */
const char *condition_word(enum condition_kind kind);

/*
 * The text with facts in place of their names in braces, "--root {root}"; {limit} is the most that the left side of the
 * condition may be.
 */
void condition_explain(const struct condition *condition, const struct facts *facts, const char *text, char *line,
                       size_t capacity);

#endif
