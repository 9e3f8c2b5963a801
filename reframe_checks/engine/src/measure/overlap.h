/* SPDX-License-Identifier: BSD-3-Clause */
/* overlap.h: how far an operation goes on while its process computes. */
#ifndef ISOCHRON_OVERLAP_H
#define ISOCHRON_OVERLAP_H

#include "measure/measure.h"

/* Collective: the overlap of an operation that starts and completes, if --overlap asks for it. */
int overlap_measure(struct measure *m, const struct operation *operation, struct measurement *result,
                    struct fault *fault);

#endif
