/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.h: one launch from the parsed options to the finished output file. */
#ifndef ISOCHRON_LAUNCH_H
#define ISOCHRON_LAUNCH_H

#include "options/options.h"
#include "session/session.h"

/*
 * Collective. Leaves a fault that is agreed upon, or a system fault of this process alone, after which only aborting
 * the launch is left.
 */
int launch_run(struct session *session, const struct options *options, int argc, char **argv, struct fault *fault);

#endif
