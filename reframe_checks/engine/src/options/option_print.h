/* SPDX-License-Identifier: BSD-3-Clause */
/* option_print.h: the options as help text and as JSON, both from the option table. */
#ifndef ISOCHRON_OPTION_PRINT_H
#define ISOCHRON_OPTION_PRINT_H

#include "base/json.h"
#include "options/options.h"

#include <stdio.h>

/* Writes all effective values but the lists of operations and sizes as members of the open JSON object. */
void options_write(const struct options *options, struct json *json);

/* The help text. */
void options_help(FILE *stream);

#endif
