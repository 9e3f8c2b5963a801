/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * command_line.h: the command line: parsed into struct options, as variables for conditions, as help and as JSON.
 *
 * Parsing has no effect besides: it fills struct options, or states in one line what is wrong and what would be right.
 */
#ifndef ISOCHRON_COMMAND_LINE_H
#define ISOCHRON_COMMAND_LINE_H

#include "base/condition.h"
#include "base/json.h"
#include "options/options.h"

#include <stdio.h>

/* Fill options from argv; to be freed by options_free in any case. A usage fault, or a system fault for want of memory.
 */
int options_parse(int argc, char **argv, struct options *options, struct fault *fault);

/* Return true if the options only request something that is printed, so that nothing is measured. */
bool options_print_only(const struct options *options);

void options_free(struct options *options);

/*
 * Return an option as a variable; context is a const struct options *. "batch" is the value of --batch, "scheme" the
 * name of a choice, "arrival" the name before the colon and "arrival.US" the number after it, "check" whether a flag is
 * set, "sizes.given" whether the option is on the command line.
 */
struct variable option_variable(const void *context, const char *name);

/* Write the values in force, except the lists of operations and sizes, as members of the open JSON object. */
void options_write(const struct options *options, struct json *json);

/* Print the help text. */
void options_help(FILE *stream);

#endif
