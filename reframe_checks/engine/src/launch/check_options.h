/* SPDX-License-Identifier: BSD-3-Clause */
/* check_options.h: what is refused of a command line that is good option by option; no MPI call is made. */
#ifndef ISOCHRON_CHECK_OPTIONS_H
#define ISOCHRON_CHECK_OPTIONS_H

#include "base/fault.h"
#include "options/options.h"

/* Operations, sizes and processes; 0 processes: unknown. For a launch, which asks the rest where it needs it. */
int check_options_cases(const struct options *options, int processes, struct fault *fault);

/*
 * --check-options: all that a launch would refuse. --expect-ranks is the number of processes; without it what depends
 * on that is not asked.
 */
int check_options(const struct options *options, struct fault *fault);

#endif
