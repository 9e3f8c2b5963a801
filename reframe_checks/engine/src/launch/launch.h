/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch.h: one launch, from the parsed options to the output file, complete but for its footer.
 *
 * All cases are measured pass by pass (passes.h), or in turns with other launches (rounds.h).
 */
#ifndef ISOCHRON_LAUNCH_H
#define ISOCHRON_LAUNCH_H

#include "base/output.h"
#include "options/options.h"
#include "session/session.h"

/* The output file of rank 0. Its footer has the duration of MPI_Finalize, and is written after it. */
struct launch_file {
    struct output output;
    struct output_footer footer;
    bool complete; /* but for the footer */
};

/*
 * Collective. After a fault, either all processes agree on it, or it is a system fault of this process alone, which
 * then has to abort the launch.
 */
int launch_perform(struct session *session, const struct options *options, int argc, char **argv,
                   struct launch_file *file, struct fault *fault);

#endif
