/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * datatype.h: the elements that an operation works with at one size, from --datatype.
 *
 * auto moves bytes, and reduces floats where the size allows, else signed characters. MPI's basic types are those of C.
 */
#ifndef ISOCHRON_DATATYPE_H
#define ISOCHRON_DATATYPE_H

#include "base/condition.h"
#include "operation/operation.h"
#include "words/element.h"

#include <stdint.h>

enum datatype_kind {
    DATATYPE_BYTE,
    DATATYPE_INT,
    DATATYPE_FLOAT,
    DATATYPE_DOUBLE,
    DATATYPE_SIGNED_CHAR,
    DATATYPE_DERIVED
};

struct datatype {
    enum datatype_kind kind;
    const char *name;
    struct element element;
};

/* A basic one: its name and bytes. */
struct datatype datatype_basic(enum datatype_kind kind);

/* The type of a case is that of the first rule that holds. */
struct datatype_rule {
    struct condition when;
    enum datatype_kind kind;
};

const struct datatype_rule *datatype_rules(size_t *count);

/* wanted is the word of --datatype, derived what it means where it is a derived one. */
struct datatype datatype_of(const char *wanted, const struct element *derived, const struct operation *operation,
                            int64_t bytes);

#endif
