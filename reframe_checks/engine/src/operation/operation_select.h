/* SPDX-License-Identifier: BSD-3-Clause */
/* operation_select.h: the operations that a launch measures, from their names. */
#ifndef ISOCHRON_OPERATION_SELECT_H
#define ISOCHRON_OPERATION_SELECT_H

#include "operation/operation.h"

/* Leaves in the list what words name: operations, groups and "all", comma-separated. */
int operation_select(const char *words, struct operation_list *list, struct fault *fault);

void operation_list_free(struct operation_list *list);

#endif
