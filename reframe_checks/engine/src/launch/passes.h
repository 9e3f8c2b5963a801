/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * passes.h: the passes of an ordinary launch over all its measurements, each with the empty operation first
 * (overhead.h).
 *
 * First come the passes that the session plans, which begin within the pass span and in which every measurement takes
 * part; then further passes over the incomplete measurements. Repetitions beyond the minimum are in separate passes
 * because the interval of a launch is from its passes.
 */
#ifndef ISOCHRON_PASSES_H
#define ISOCHRON_PASSES_H

#include "launch/measurement_list.h"
#include "launch/overhead.h"

/* Collective: measure all cases. */
int passes_measure(struct session *session, struct measurement_list *list, struct overhead *overhead,
                   struct fault *fault);

#endif
