/* SPDX-License-Identifier: BSD-3-Clause */
/* measurement_run.h: the one measuring loop, for all operations. */
#ifndef ISOCHRON_MEASUREMENT_RUN_H
#define ISOCHRON_MEASUREMENT_RUN_H

#include "measure/measurement.h"

/* Collective. The measurement is to be freed in any case. */
int measurement_run(const struct session *session, const struct operation *operation, int64_t bytes,
                    struct measurement *measurement, struct fault *fault);

#endif
