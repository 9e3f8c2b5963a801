/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * option_facts.h: options as facts for conditions.
 *
 * "batch" is the value of --batch, "scheme" the word of a choice or of a text, "arrival" the word before the colon and
 * "arrival.US" the number after it, "check" whether a flag is set, "sizes.given" whether the option stands on the
 * command line.
 */
#ifndef ISOCHRON_OPTION_FACTS_H
#define ISOCHRON_OPTION_FACTS_H

#include "base/condition.h"
#include "options/options.h"

/* from is a const struct options *. */
struct fact option_fact(const void *from, const char *name);

#endif
