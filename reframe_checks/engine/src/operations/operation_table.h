/* SPDX-License-Identifier: BSD-3-Clause */
/* operation_table.h: all operations in all forms. */
#ifndef ISOCHRON_OPERATION_TABLE_H
#define ISOCHRON_OPERATION_TABLE_H

#include "operation/operation.h"

/* List all operations in all forms, in the order of --list; large: those with MPI_Count. A fault if memory is short. */
int operation_expand(bool large, struct operation_list *list, struct fault *fault);

#endif
