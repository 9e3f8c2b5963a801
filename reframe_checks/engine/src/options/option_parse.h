/* SPDX-License-Identifier: BSD-3-Clause */
/* option_parse.h: the command line into struct options. */
#ifndef ISOCHRON_OPTION_PARSE_H
#define ISOCHRON_OPTION_PARSE_H

#include "options/options.h"

/* Fills options from argv; sizes and launch are to be freed by options_free in any case. */
int options_parse(int argc, char **argv, struct options *options, struct fault *fault);

void options_free(struct options *options);

#endif
