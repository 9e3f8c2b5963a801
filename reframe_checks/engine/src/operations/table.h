/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h: every operation of the engine, ended by NULL. */
#ifndef ISOCHRON_OPERATIONS_TABLE_H
#define ISOCHRON_OPERATIONS_TABLE_H

#include "operation.h"

extern const struct operation *const OPERATIONS[];

#endif
