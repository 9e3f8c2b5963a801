/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme_window.h: every run starts at a time that all processes know. */
#ifndef ISOCHRON_SCHEME_WINDOW_H
#define ISOCHRON_SCHEME_WINDOW_H

#include "scheme/scheme.h"

int scheme_window_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                        struct fault *fault);

#endif
