/* SPDX-License-Identifier: BSD-3-Clause */
/* operation_table.h: every operation of the engine, ended by NULL. */
#ifndef ISOCHRON_OPERATION_TABLE_H
#define ISOCHRON_OPERATION_TABLE_H

#include "operation/operation.h"

extern const struct operation *const OPERATIONS[];

#endif
