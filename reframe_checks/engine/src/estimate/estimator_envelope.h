/* SPDX-License-Identifier: BSD-3-Clause */
/* estimator_envelope.h: the offset from the tightest limits of any two messages. */
#ifndef ISOCHRON_ESTIMATOR_ENVELOPE_H
#define ISOCHRON_ESTIMATOR_ENVELOPE_H

#include "estimate/estimator.h"

bool estimator_add_envelope(struct estimate *estimate, const struct exchange *exchange);

#endif
