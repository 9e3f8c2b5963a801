/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * option_parser.h: reads a command line by a table of options into a struct, and prints the table as help.
 *
 * A program has a table of rules (rows by option_rows.h) and a struct with the fields that they set. Parsing fills
 * these fields and nothing else, or states in one line what is wrong and what would be right.
 */
#ifndef ISOCHRON_OPTION_PARSER_H
#define ISOCHRON_OPTION_PARSER_H

#include "base/fault.h"
#include "base/json.h"
#include "option_values/grammar.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { OPTIONS_KEY_LIMIT = JSON_PAIR_KEY }; /* the longest K of a pair K=V */

enum option_kind { OPTION_TEXT, OPTION_CHOICE, OPTION_INTEGER, OPTION_REAL, OPTION_FLAG, OPTION_PAIRS };

struct option_rule {
    const char *name; /* with the two dashes */
    enum option_kind kind;
    size_t field;                       /* offset in the struct; a choice is stored as its index */
    const char *initial;                /* default, as typed by a user; NULL: none */
    double low, high;                   /* limits of a number */
    const char *const *choices;         /* of a choice, ended by NULL */
    const struct grammar_form *grammar; /* of a text with forms; NULL: any text */
    const char *value;                  /* placeholder of the value in the help, for other kinds; NULL: none */
    const char *help;                   /* NULL: an option for tests, which the help omits */
};

struct option_pairs {
    const char **texts; /* "K=V", count of them; to be freed */
    size_t count;
};

struct option_target {
    const struct option_rule *rules;
    size_t count;
    void *fields;  /* the struct */
    bool *present; /* count of them: the option is on the command line */
};

enum { OPTION_VALUE = 200 }; /* capacity for the text of option_value */

/* Return the placeholder of the value for help and messages: the choices, or that of the rule; NULL: none. */
const char *option_value(const struct option_rule *rule, char text[OPTION_VALUE]);

/* Return the index of the option of that name, with the dashes; count if there is none. */
size_t option_index(const struct option_rule *rules, size_t count, const char *name);

/* Set the field of a rule to a value, or add a pair. */
int option_set(const struct option_target *target, const struct option_rule *rule, const char *text,
               struct fault *fault);

/* Set the defaults, then the options of argv. A usage fault, or a system fault for want of memory. */
int option_parse(const struct option_target *target, int argc, char **argv, struct fault *fault);

/* Print each option with its placeholder, help and default. */
void option_print(const struct option_rule *rules, size_t count, FILE *stream);

#endif
