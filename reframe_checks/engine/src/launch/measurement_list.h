/* SPDX-License-Identifier: BSD-3-Clause */
/* measurement_list.h: all measurements of a launch, and one pass over one of them. */
#ifndef ISOCHRON_MEASUREMENT_LIST_H
#define ISOCHRON_MEASUREMENT_LIST_H

#include "measure/measure.h"
#include "measure/measurement.h"

struct measurement_list {
    struct measurement_case *cases;
    size_t case_count;
    bool retains;           /* states are retained from pass to pass */
    struct measure *states; /* on every process; of one measurement at a time unless they are retained */
    struct measurement *measurements;
    size_t count;                       /* of measurements on rank 0; other processes have one for all */
    const struct measurement *previous; /* on rank 0: the one that was measured last */
    bool begun;
};

/* Collective: list all cases in their order, for that number of passes. To be freed in any case. */
int measurement_list_open(const struct session *session, int64_t passes, struct measurement_list *list,
                          struct fault *fault);

/* Return the state of a measurement. */
struct measure *measurement_list_state(const struct measurement_list *list, size_t i);

/*
 * Collective: one pass over one measurement, unless it is complete or not supported. Before it, unless it is the first
 * of all, the clocks are synchronised if the slots of the previous one need it.
 */
int measurement_list_measure(struct session *session, struct measurement_list *list, size_t i, struct measure_pass pass,
                             struct fault *fault);

void measurement_list_free(struct measurement_list *list);

#endif
