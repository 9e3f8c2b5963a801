/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.h: where the bytes of one element lie in memory, for basic and for derived datatypes.
 *
 *   vector:COUNT:BLOCK:STRIDE    COUNT blocks of BLOCK bytes, STRIDE bytes from one to the next
 *   indexed:LENGTH@PLACE,...     blocks of LENGTH bytes, PLACE bytes from the start, in ascending order
 *
 * Knows nothing of MPI: the check of the data must not trust the datatypes of the library under test.
 */
#ifndef ISOCHRON_ELEMENT_H
#define ISOCHRON_ELEMENT_H

#include "base/fault.h"
#include "words/grammar.h"

#include <stdbool.h>
#include <stdint.h>

enum { ELEMENT_PIECES = 32, ELEMENT_LIMIT = 1 << 24 };

enum element_kind { ELEMENT_BASIC, ELEMENT_VECTOR, ELEMENT_INDEXED };

struct element {
    enum element_kind kind;
    int size;                   /* bytes of data */
    int extent;                 /* bytes in memory, from one element to the next */
    int pieces;                 /* blocks of an element */
    int stride;                 /* of a vector */
    int length[ELEMENT_PIECES]; /* of each block; of a vector the first alone */
    int place[ELEMENT_PIECES];
};

/* Of --datatype, basic ones too. */
extern const struct grammar_form ELEMENT_FORMS[];

/* Whether the text names a derived datatype. */
bool element_is_derived(const char *text);

int element_parse(const char *text, struct element *element, struct fault *fault);

/* Bytes in memory before data byte i of a row of elements. */
int64_t element_place(const struct element *element, int64_t i);

#endif
