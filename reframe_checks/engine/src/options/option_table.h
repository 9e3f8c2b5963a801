/* SPDX-License-Identifier: BSD-3-Clause */
/* option_table.h: every option of the engine, one entry each. */
#ifndef ISOCHRON_OPTION_TABLE_H
#define ISOCHRON_OPTION_TABLE_H

#include <stddef.h>

enum option_kind { OPTION_TEXT, OPTION_CHOICE, OPTION_INTEGER, OPTION_REAL, OPTION_FLAG, OPTION_PAIRS };

struct option_rule {
    const char *name; /* with the two dashes */
    enum option_kind kind;
    size_t field;        /* offset in struct options */
    const char *initial; /* default as one would type it; NULL: none */
    double low, high;    /* limits of a number */
    const char *choices; /* "a|b|c"; or the placeholder of a value in the help */
    const char *now;     /* the choices this version has, where it has not all; "" for a flag it has not */
    const char *help;    /* NULL: an option for tests, which the help leaves out */
};

/* The table; *count receives its length. */
const struct option_rule *option_table(size_t *count);

#endif
