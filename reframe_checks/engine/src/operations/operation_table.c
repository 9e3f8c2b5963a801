/* SPDX-License-Identifier: BSD-3-Clause */
/* operation_table.c: the operations that operations.def lists, each defined in the file of its name. */
#include "operations/operation_table.h"

#define OPERATION(name) extern const struct operation operation_##name;
#include "operations/operations.def"
#undef OPERATION

#define OPERATION(name) &operation_##name,
const struct operation *const OPERATIONS[] = {
#include "operations/operations.def"
    NULL,
};
#undef OPERATION
