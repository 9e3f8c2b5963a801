/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme_barrier.h: a barrier before each run, the engine's own or that of the library. */
#ifndef ISOCHRON_SCHEME_BARRIER_H
#define ISOCHRON_SCHEME_BARRIER_H

#include "scheme/scheme.h"

int scheme_barrier_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                         struct fault *fault);
int scheme_mpi_barrier_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                             struct fault *fault);

#endif
