/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * option_rows.h: rows of a table of options (option_parser.h) of struct OPTION_FIELDS, a macro of the file that
 * includes this.
 *
 * Name, member of the struct, default, limits or choices or forms, placeholder of the value, help.
 */
#ifndef ISOCHRON_OPTION_ROWS_H
#define ISOCHRON_OPTION_ROWS_H

/* clang-format off */
#define OPTION(n, k, m, ...) {.name = n, .kind = OPTION_##k, .field = offsetof(struct OPTION_FIELDS, m), __VA_ARGS__}
#define NUMBER(n, k, m, i, l, u, v, h) OPTION(n, k, m, .initial = i, .low = l, .high = u, .value = v, .help = h)

#define TEXT(n, m, v, h)           OPTION(n, TEXT, m, .value = v, .help = h)
#define FORMS(n, m, i, g, v, h)    OPTION(n, TEXT, m, .initial = i, .grammar = g, .value = v, .help = h)
#define CHOICE(n, m, i, c, h)      OPTION(n, CHOICE, m, .initial = i, .choices = c, .help = h)
#define WHOLE(n, m, i, l, u, v, h) NUMBER(n, INTEGER, m, i, l, u, v, h)
#define REAL(n, m, i, l, u, v, h)  NUMBER(n, REAL, m, i, l, u, v, h)
#define FLAG(n, m, h)              OPTION(n, FLAG, m, .help = h)
#define PAIRS(n, m, v, h)          OPTION(n, PAIRS, m, .value = v, .help = h)
/* clang-format on */

#endif
