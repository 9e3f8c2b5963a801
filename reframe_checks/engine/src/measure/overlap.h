/* SPDX-License-Identifier: BSD-3-Clause */
/* overlap.h: the progress of an operation while its process computes. */
#ifndef ISOCHRON_OVERLAP_H
#define ISOCHRON_OVERLAP_H

#include "measure/measure_batch.h"

/* Collective: measure the overlap of an operation that starts and completes, if --overlap is set. */
int overlap_measure(struct measure *m, const struct operation *operation, struct measurement *result,
                    struct fault *fault);

#endif
