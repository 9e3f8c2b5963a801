/* SPDX-License-Identifier: BSD-3-Clause */
/* operation_print.h: the operations as a table for people. */
#ifndef ISOCHRON_OPERATION_PRINT_H
#define ISOCHRON_OPERATION_PRINT_H

#include "operation/operation.h"

#include <stdio.h>

void operation_print_table(const struct operation_list *all, FILE *stream);

#endif
