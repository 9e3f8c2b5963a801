/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.h: the measuring loop, for all operations: one pass over one measurement. */
#ifndef ISOCHRON_MEASURE_H
#define ISOCHRON_MEASURE_H

#include "measure/measure_batch.h"

/* The operation and size of a measurement. */
struct measurement_case {
    const struct operation *operation;
    int64_t bytes;
};

/*
 * Collective: one pass over a measurement; the first begins it, later ones add to it, until m->done is set on every
 * process. m, on every process, and the measurement, on rank 0, are to be freed in any case.
 */
int measure_perform_pass(const struct session *session, const struct measurement_case *measured_case,
                         struct measure_pass pass, struct measure *m, struct measurement *measurement,
                         struct fault *fault);

/* Return true if a measurement has less than half of the valid repetitions that are due after the passes so far. */
bool measure_lags(const struct measurement *measurement, const struct stop_limits *share);

#endif
