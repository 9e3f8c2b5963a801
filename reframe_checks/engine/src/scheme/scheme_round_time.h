/* SPDX-License-Identifier: BSD-3-Clause */
/* scheme_round_time.h: every run has a start time of its own. */
#ifndef ISOCHRON_SCHEME_ROUND_TIME_H
#define ISOCHRON_SCHEME_ROUND_TIME_H

#include "scheme/scheme.h"

int scheme_round_time_batch(const struct scheme_context *context, const struct batch_plan *plan, struct run *runs,
                            struct fault *fault);

#endif
