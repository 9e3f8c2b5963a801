/* SPDX-License-Identifier: BSD-3-Clause */
/* option_table.h: every option of the engine, one entry each. */
#ifndef ISOCHRON_OPTION_TABLE_H
#define ISOCHRON_OPTION_TABLE_H

#include "words/grammar.h"

#include <stddef.h>

enum option_kind { OPTION_TEXT, OPTION_CHOICE, OPTION_INTEGER, OPTION_REAL, OPTION_FLAG, OPTION_PAIRS };

struct option_rule {
    const char *name; /* with the two dashes */
    enum option_kind kind;
    size_t field;                       /* offset in struct options; a choice is the place of its word */
    const char *initial;                /* default as one would type it; NULL: none */
    double low, high;                   /* limits of a number */
    const char *const *words;           /* of a choice, ended by NULL */
    const struct grammar_form *grammar; /* of a text that has one; NULL: none */
    const char *value;                  /* what the help prints for the value of other kinds; NULL: nothing */
    const char *help;                   /* NULL: an option for tests, which the help leaves out */
};

enum { OPTION_VALUE = 200 }; /* room for the text of option_value */

/* The table; *count receives its length. */
const struct option_rule *option_table(size_t *count);

/* The position of the option of that name, with the dashes; the length of the table when there is none. */
size_t option_find(const char *name);

/* What stands for the value in help and faults: the words of a choice, else the rule's own; NULL: nothing. */
const char *option_value(const struct option_rule *rule, char text[OPTION_VALUE]);

#endif
