/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * describe.h: what the engine accepts and refuses, as one JSON document for other programs: --describe json.
 *
 * Options with kinds, limits, choices and forms; relations, which are conditions on variables; datatypes; operations
 * and their properties. docs/reference/engine.md explains it. It is the same for every MPI library, and written from
 * the tables by which the engine itself checks.
 */
#ifndef ISOCHRON_DESCRIBE_H
#define ISOCHRON_DESCRIBE_H

#include "base/json.h"
#include "operation/operation.h"

#include <stdio.h>

/* Write the document; all are the operations in all forms. */
void describe(const struct operation_list *all, struct json *json);

/* Print it with a line for each option, relation and operation. */
void describe_print(const struct json *json, FILE *stream);

#endif
