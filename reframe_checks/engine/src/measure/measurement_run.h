/* SPDX-License-Identifier: BSD-3-Clause */
/* measurement_run.h: the one measuring loop, for all operations: one pass over one row. */
#ifndef ISOCHRON_MEASUREMENT_RUN_H
#define ISOCHRON_MEASUREMENT_RUN_H

#include "measure/measure.h"

/* What a row is of. */
struct measurement_case {
    const struct operation *operation;
    int64_t bytes;
};

/*
 * Collective: one pass over a row; the first one begins the measurement, later ones add to it, until m says on every
 * process that it is done. What m keeps from pass to pass, on every process, and on rank 0 the measurement are to be
 * freed in any case.
 */
int measurement_run(const struct session *session, const struct measurement_case *row, struct measure_pass pass,
                    struct measure *m, struct measurement *measurement, struct fault *fault);

/* Whether a row has less than half of the valid runs that passes so far should have made. */
bool measure_lags(const struct measurement *result, const struct stop_limits *share);

#endif
