/* SPDX-License-Identifier: BSD-3-Clause */
/* operation_forms.h: from the table of operations to all forms of each. */
#ifndef ISOCHRON_OPERATION_FORMS_H
#define ISOCHRON_OPERATION_FORMS_H

#include "operation/operation.h"

/* All operations in all forms, in the order of --list; large: calls with MPI_Count. */
int operation_expand(bool large, struct operation_list *list, struct fault *fault);

#endif
