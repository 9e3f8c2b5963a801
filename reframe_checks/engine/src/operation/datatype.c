/* SPDX-License-Identifier: BSD-3-Clause */
/* datatype.c: the elements of a case (see datatype.h). MPI's basic types are those of C. */
#include "operation/datatype.h"

#include <string.h>

static const struct {
    const char *name;
    int bytes;
} DATATYPES[] = {
    [DATATYPE_BYTE] = {"byte", 1},
    [DATATYPE_INT] = {"int", sizeof(int)},
    [DATATYPE_FLOAT] = {"float", sizeof(float)},
    [DATATYPE_DOUBLE] = {"double", sizeof(double)},
    [DATATYPE_SIGNED_CHAR] = {"signed char", 1},
};

struct datatype datatype_basic(enum datatype_kind kind)
{
    const int bytes = DATATYPES[kind].bytes;
    return (struct datatype){kind, DATATYPES[kind].name, {.kind = ELEMENT_BASIC, .size = bytes, .extent = bytes}};
}

struct datatype datatype_of(const char *wanted, const struct element *derived, const struct operation *operation,
                            int64_t bytes)
{
    if (operation->fixed_count > 0)
        return datatype_basic(DATATYPE_INT);
    if (element_is_derived(wanted))
        return (struct datatype){DATATYPE_DERIVED, wanted, *derived};
    for (enum datatype_kind kind = DATATYPE_BYTE; kind <= DATATYPE_DOUBLE; kind++)
        if (strcmp(DATATYPES[kind].name, wanted) == 0)
            return datatype_basic(kind);
    if (operation->reduces == REDUCES_NOTHING)
        return datatype_basic(DATATYPE_BYTE);
    return datatype_basic(bytes % (int64_t)sizeof(float) == 0 ? DATATYPE_FLOAT : DATATYPE_SIGNED_CHAR);
}
