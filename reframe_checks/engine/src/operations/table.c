/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c: the operations that operations.def lists, each defined in the file of its name. */
#include "table.h"

#define OPERATION(name) extern const struct operation operation_##name;
#include "operations.def"
#undef OPERATION

#define OPERATION(name) &operation_##name,
const struct operation *const OPERATIONS[] = {
#include "operations.def"
    NULL,
};
#undef OPERATION
