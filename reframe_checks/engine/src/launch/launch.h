/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch.h: one launch, from the parsed options to the complete output file.
 *
 * All cases are measured pass by pass (passes.h), or in turns with other launches (rounds.h).
 */
#ifndef ISOCHRON_LAUNCH_H
#define ISOCHRON_LAUNCH_H

#include "options/options.h"
#include "session/session.h"

/*
 * Collective. After a fault, either all processes agree on it, or it is a system fault of this process alone, which
 * then has to abort the launch.
 */
int launch_perform(struct session *session, const struct options *options, int argc, char **argv, struct fault *fault);

#endif
