/* SPDX-License-Identifier: BSD-3-Clause */
/* warm_up.h: what precedes the counted repetitions of a pass. */
#ifndef ISOCHRON_WARM_UP_H
#define ISOCHRON_WARM_UP_H

#include "measure/measure_batch.h"

/*
 * Collective: in the first pass the first call, a second one on other buffers, and the first uses of cold buffers; then
 * the warm-up batch, in turns repeatedly. The first pass sets the width of the first slot.
 */
int warm_up(struct measure *m, const struct operation *operation, struct measurement *result, struct fault *fault);

#endif
