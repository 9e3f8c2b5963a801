/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * datatype.h: the datatype of an operation at one size, from its name or from --datatype.
 *
 * auto: bytes to move data; to reduce, floats if the size permits, otherwise signed characters. MPI's basic types are
 * those of C.
 */
#ifndef ISOCHRON_DATATYPE_H
#define ISOCHRON_DATATYPE_H

#include "base/condition.h"
#include "operation/operation.h"
#include "option_values/element.h"

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

/* Return a basic datatype. */
struct datatype datatype_basic(enum datatype_kind kind);

/* The datatype of a case is that of the first rule whose condition holds. */
struct datatype_rule {
    struct condition when;
    enum datatype_kind kind;
};

const struct datatype_rule *datatype_rules(size_t *count);

/* Return the datatype that is requested for an operation, as of --datatype: that of its name, or else `option`. */
const char *datatype_requested(const char *option, const struct operation *operation);

/* Return the datatype of a case; option is the value of --datatype, derived its layout if it is a derived one. */
struct datatype datatype_of(const char *option, const struct element *derived, const struct operation *operation,
                            int64_t bytes);

#endif
