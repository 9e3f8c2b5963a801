/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * describe.h: what the engine takes and refuses, as one JSON document for other programs: --describe json.
 *
 * Options with their kinds, limits, words and forms; relations, which are conditions on facts; datatypes; operations
 * and their facts. docs/reference/engine.md says how to read it. It is the same for every MPI library, and made from
 * the tables that the engine itself checks with.
 */
#ifndef ISOCHRON_DESCRIBE_H
#define ISOCHRON_DESCRIBE_H

#include "base/json.h"
#include "operation/operation.h"

#include <stdio.h>

/* The whole document; all are the operations in all forms. */
void describe(const struct operation_list *all, struct json *json);

/* Writes it with a line for each option, relation and operation. */
void describe_print(const struct json *json, FILE *stream);

#endif
