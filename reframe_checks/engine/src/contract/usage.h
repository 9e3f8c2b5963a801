/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage.h: errors of a command line that can be found before anything is measured, without MPI.
 *
 * A launch and --check-options check the same: the relations of the options (relations.h).
 */
#ifndef ISOCHRON_USAGE_H
#define ISOCHRON_USAGE_H

#include "base/fault.h"
#include "operation/operation.h"
#include "options/options.h"

/* Check every case of the launch, so that an error is found before the first is measured. processes 0: unknown. */
int usage_check(const struct options *options, const struct operation_list *operations, int processes,
                struct fault *fault);

/* Return why the operation cannot be measured under these options; NULL if it can. */
const char *usage_why_not_supported(const struct options *options, const struct operation *operation, int processes);

#endif
