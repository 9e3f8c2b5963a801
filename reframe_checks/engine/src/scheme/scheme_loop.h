/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme_loop.h: the classical loops, with one root and with a rotating one. */
#ifndef ISOCHRON_SCHEME_LOOP_H
#define ISOCHRON_SCHEME_LOOP_H

#include "scheme/scheme.h"

int scheme_loop_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                      struct fault *fault);
int scheme_rotating_root_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                               struct fault *fault);

#endif
