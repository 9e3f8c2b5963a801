/* SPDX-License-Identifier: BSD-3-Clause */
/* option_parse.h: the command line into struct options. */
#ifndef ISOCHRON_OPTION_PARSE_H
#define ISOCHRON_OPTION_PARSE_H

#include "options/options.h"

/* Fills options from argv; what it holds is to be freed by options_free in any case. */
int options_parse(int argc, char **argv, struct options *options, struct fault *fault);

/* Whether the options only ask for something that is printed, so that nothing is measured. */
bool options_print_only(const struct options *options);

void options_free(struct options *options);

#endif
