/* SPDX-License-Identifier: BSD-3-Clause */
/* estimator_min_rtt.h: the offset of the exchange with the smallest round trip. */
#ifndef ISOCHRON_ESTIMATOR_MIN_RTT_H
#define ISOCHRON_ESTIMATOR_MIN_RTT_H

#include "estimate/estimator.h"

bool estimator_add_min_rtt(struct estimate *estimate, const struct exchange *exchange);

#endif
