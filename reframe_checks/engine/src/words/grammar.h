/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grammar.h: values that are a word, and after a colon the numbers or the text that it needs: "none", "random:SEED",
 * "vector:COUNT:BLOCK:STRIDE", "indexed:LENGTH@PLACE,...", "list:FILE".
 *
 * The forms of a value are data: reading uses them, and --describe tells them to other programs.
 */
#ifndef ISOCHRON_GRAMMAR_H
#define ISOCHRON_GRAMMAR_H

#include "base/condition.h"

#include <stdbool.h>
#include <stdint.h>

enum { GRAMMAR_NUMBERS = 3, GRAMMAR_RULES = 2 };

/* The largest whole number there is. */
#define GRAMMAR_HIGHEST 9223372036854775807.0

struct grammar_number {
    const char *name; /* NULL: there is none */
    bool whole;
    double low, high;
};

struct grammar_form {
    const char *word; /* NULL: the end of the forms */
    enum {
        GRAMMAR_BARE,   /* the word alone */
        GRAMMAR_TUPLE,  /* word:NUMBER:NUMBER... */
        GRAMMAR_PIECES, /* word:NUMBER@NUMBER,NUMBER@NUMBER... */
        GRAMMAR_REST    /* word:TEXT */
    } kind;
    struct grammar_number numbers[GRAMMAR_NUMBERS];
    int most;                              /* pieces */
    struct condition rules[GRAMMAR_RULES]; /* of the numbers; END is where the piece before ends */
};

struct grammar_value {
    const struct grammar_form *form;
    const char *rest; /* what follows the colon */
    int64_t whole[GRAMMAR_NUMBERS];
    double real[GRAMMAR_NUMBERS];
    int64_t end; /* of the piece before: its first number and its second together */
};

/* Reads a value but its pieces; false when it has none of the forms. */
bool grammar_read(const struct grammar_form *forms, const char *text, struct grammar_value *value);

/* Reads the piece at *at and goes on to what follows it, NULL after the last; value is of grammar_read. */
bool grammar_piece(struct grammar_value *value, const char **at);

/* A number of the value by its name; unknown where its form has none of that name. */
struct fact grammar_fact(const void *value, const char *name);

#endif
