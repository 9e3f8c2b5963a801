/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grammar.h: option values that are a name, and after a colon numbers or text: "none", "random:SEED",
 * "vector:COUNT:BLOCK:STRIDE", "indexed:LENGTH@PLACE,...", "list:FILE".
 *
 * The forms of a value are data: the parser uses them, and --describe prints them for other programs.
 */
#ifndef ISOCHRON_GRAMMAR_H
#define ISOCHRON_GRAMMAR_H

#include "base/condition.h"

#include <stdbool.h>
#include <stdint.h>

enum { GRAMMAR_NUMBERS = 3, GRAMMAR_RULES = 2 };

/* INT64_MAX, the largest integer that a value can have. */
#define GRAMMAR_MAX_INTEGER 9223372036854775807.0

struct grammar_number {
    const char *name; /* NULL: the end of the numbers */
    bool is_integer;
    double low, high;
};

struct grammar_form {
    const char *name; /* NULL: the end of the forms */
    enum {
        GRAMMAR_BARE,   /* NAME */
        GRAMMAR_TUPLE,  /* NAME:NUMBER:NUMBER... */
        GRAMMAR_PIECES, /* NAME:NUMBER@NUMBER,NUMBER@NUMBER... */
        GRAMMAR_REST    /* NAME:TEXT */
    } kind;
    struct grammar_number numbers[GRAMMAR_NUMBERS];
    int max_pieces;
    struct condition rules[GRAMMAR_RULES]; /* on the numbers by name; END is the end of the previous piece */
};

struct grammar_value {
    const struct grammar_form *form;
    const char *rest; /* the text after the colon */
    int64_t integers[GRAMMAR_NUMBERS];
    double reals[GRAMMAR_NUMBERS];
    int64_t end; /* of the previous piece: the sum of its two numbers */
};

/* Parse a value except its pieces; false if it has none of the forms. */
bool grammar_read(const struct grammar_form *forms, const char *text, struct grammar_value *value);

/* Parse the piece at *at and advance *at to the next one, NULL after the last; value is from grammar_read. */
bool grammar_piece(struct grammar_value *value, const char **at);

/* Return a number of the value by its name; unknown if the form has no such number. */
struct variable grammar_variable(const void *value, const char *name);

#endif
