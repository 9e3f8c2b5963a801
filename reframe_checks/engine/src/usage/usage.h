/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage.h: everything that is wrong with a command line and can be known before anything is measured, without MPI.
 *
 * A launch and --check-options ask the same: what the relations of the options say (relation_table.c).
 */
#ifndef ISOCHRON_USAGE_H
#define ISOCHRON_USAGE_H

#include "base/fault.h"
#include "operation/operation.h"
#include "options/options.h"

/* Every case of the launch, so that a wrong one is found before the first is measured. processes 0: unknown. */
int usage_check(const struct options *options, const struct operation_list *operations, int processes,
                struct fault *fault);

/* Why the operation cannot be measured under these options, NULL when it can. */
const char *usage_lacks(const struct options *options, const struct operation *operation, int processes);

#endif
