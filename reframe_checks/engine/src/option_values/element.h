/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.h: the layout in memory of one element of a basic or derived datatype.
 *
 *   vector:COUNT:BLOCK:STRIDE    COUNT blocks of BLOCK bytes, STRIDE bytes apart
 *   indexed:LENGTH@PLACE,...     blocks of LENGTH bytes, PLACE bytes from the start, in ascending order
 *
 * Independent of MPI: the check of the data must not trust the datatypes of the library under test.
 */
#ifndef ISOCHRON_ELEMENT_H
#define ISOCHRON_ELEMENT_H

#include "base/fault.h"
#include "option_values/grammar.h"

#include <stdbool.h>
#include <stdint.h>

enum { ELEMENT_PIECES = 32, ELEMENT_LIMIT = 1 << 24 };

enum element_kind { ELEMENT_BASIC, ELEMENT_VECTOR, ELEMENT_INDEXED };

struct element {
    enum element_kind kind;
    int size;                   /* bytes of data */
    int extent;                 /* bytes in memory from one element to the next */
    int pieces;                 /* blocks of an element */
    int stride;                 /* of a vector, in bytes */
    int length[ELEMENT_PIECES]; /* bytes of each block; for a vector only the first is set */
    int displacement[ELEMENT_PIECES];
};

/* A derived datatype with a name: an operation that is written OPERATION@NAME has it instead of --datatype. */
struct element_name {
    const char *name;
    const char *text; /* as of --datatype */
};

enum { ELEMENT_NAME_COUNT = 4 };

extern const struct element_name ELEMENT_NAMES[ELEMENT_NAME_COUNT];

/* Return true if the text is OPERATION@DATATYPE; *datatype is then what follows after the '@'. */
bool element_follows(const char *text, const char *operation, const char **datatype);

/* Find the datatype of an operation by its name; a usage fault if there is none of that name. */
int element_find(const char *operation, const char *datatype, const struct element_name **name, struct fault *fault);

/* Return true if bytes are a multiple of the datatype, or if name is NULL; other sizes of the operation are no cases.
 */
bool element_fits(const struct element_name *name, int64_t bytes);

/* Return the layout of a named datatype. */
struct element element_of(const struct element_name *name);

/* The forms of --datatype, including those of basic datatypes. */
extern const struct grammar_form ELEMENT_FORMS[];

/* Return true if the text describes a derived datatype. */
bool element_is_derived(const char *text);

/* Parse a derived datatype; a usage fault if the text does not describe one. */
int element_parse(const char *text, struct element *element, struct fault *fault);

/* Return the offset in memory of data byte i in an array of elements; *run: data bytes from it on without a gap. */
int64_t element_offset(const struct element *element, int64_t i, int64_t *run);

#endif
