/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_rows.h: all rows of a launch, measured in turn, pass by pass, each pass with the empty operation first.
 *
 * First every row has the passes that session.h plans, which begin within the pass span. Then there are further passes
 * over the rows that have not got enough, until all have: runs that a row needs beyond the least lie in passes of their
 * own, as what a launch's interval is made from is its passes.
 */
#ifndef ISOCHRON_LAUNCH_ROWS_H
#define ISOCHRON_LAUNCH_ROWS_H

#include "launch/overhead.h"
#include "measure/measurement_run.h"

struct launch_rows {
    struct measurement_case *cases;
    size_t case_count;
    struct measure *kept; /* from pass to pass, on every process; where there is one pass, of one row at a time */
    struct measurement *rows;
    size_t count; /* of those on rank 0; other processes have one for all */
    struct overhead overhead;
};

/* Collective: all cases in their order. To be freed in any case. */
int launch_rows_list(const struct session *session, struct launch_rows *rows, struct fault *fault);

/* Collective: all of them. */
int launch_rows_measure(struct session *session, struct launch_rows *rows, struct fault *fault);

void launch_rows_free(const struct session *session, struct launch_rows *rows);

#endif
