/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch.h: one launch, from the parsed options to the complete output file.
 *
 * All cases are measured in turn, pass by pass, each pass with the empty operation first (overhead.h). First come the
 * passes that the session plans, which begin within the pass span and in which every measurement takes part; then
 * further passes over the incomplete measurements. Repetitions beyond the minimum are in separate passes because the
 * interval of a launch is from its passes.
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
