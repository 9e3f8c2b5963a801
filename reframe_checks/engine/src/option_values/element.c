/* SPDX-License-Identifier: BSD-3-Clause */
/* element.c: parses descriptions of derived datatypes and locates their bytes (see element.h). */
#include "option_values/element.h"

#include <string.h>

bool element_is_derived(const char *text)
{
    return strncmp(text, "vector:", 7) == 0 || strncmp(text, "indexed:", 8) == 0;
}

const struct grammar_form ELEMENT_FORMS[] = {
    {.name = "auto"},
    {.name = "byte"},
    {.name = "int"},
    {.name = "float"},
    {.name = "double"},
    {.name = "vector",
     .kind = GRAMMAR_TUPLE,
     .numbers = {{"COUNT", true, 1, ELEMENT_LIMIT},
                 {"BLOCK", true, 1, ELEMENT_LIMIT},
                 {"STRIDE", true, 1, ELEMENT_LIMIT}},
     .rules = {{.left = "STRIDE", .kind = CONDITION_AT_LEAST, .right = "BLOCK"},
               {.left = "COUNT", .times = "STRIDE", .kind = CONDITION_AT_MOST, .number = ELEMENT_LIMIT}}},
    {.name = "indexed",
     .kind = GRAMMAR_PIECES,
     .max_pieces = ELEMENT_PIECES,
     .numbers = {{"LENGTH", true, 1, ELEMENT_LIMIT}, {"PLACE", true, 0, ELEMENT_LIMIT}},
     .rules = {{.left = "PLACE", .kind = CONDITION_AT_LEAST, .right = "END"}}},
    {.name = NULL},
};

static bool element_read_vector(const struct grammar_value *value, struct element *element)
{
    element->kind = ELEMENT_VECTOR;
    element->pieces = (int)value->integers[0];
    element->length[0] = (int)value->integers[1];
    element->stride = (int)value->integers[2];
    element->size = element->pieces * element->length[0];
    element->extent = element->pieces * element->stride;
    return true;
}

static bool element_read_indexed(struct grammar_value *value, struct element *element)
{
    element->kind = ELEMENT_INDEXED;
    for (const char *next = value->rest; next != NULL;) {
        const int i = element->pieces++;
        if (i == value->form->max_pieces || !grammar_piece(value, &next))
            return false;
        element->length[i] = (int)value->integers[0];
        element->displacement[i] = (int)value->integers[1];
        element->size += element->length[i];
        element->extent = (int)value->end;
    }
    return true;
}

int element_parse(const char *text, struct element *element, struct fault *fault)
{
    struct grammar_value value;
    *element = (struct element){0};
    if (element_is_derived(text) && grammar_read(ELEMENT_FORMS, text, &value) &&
        (value.form->kind == GRAMMAR_TUPLE ? element_read_vector(&value, element)
                                           : element_read_indexed(&value, element)))
        return 0;
    return fault_set(fault, FAULT_USAGE,
                     "--datatype '%.100s': give vector:COUNT:BLOCK:STRIDE with STRIDE of at least BLOCK, or "
                     "indexed:LENGTH@PLACE,... in ascending order; up to %d pieces and %d bytes",
                     text, ELEMENT_PIECES, ELEMENT_LIMIT);
}

int64_t element_offset(const struct element *element, int64_t i)
{
    if (element->kind == ELEMENT_BASIC)
        return i;
    const int64_t start = i / element->size * element->extent;
    int remaining = (int)(i % element->size);
    if (element->kind == ELEMENT_VECTOR)
        return start + remaining / element->length[0] * element->stride + remaining % element->length[0];
    int piece = 0;
    while (remaining >= element->length[piece])
        remaining -= element->length[piece++];
    return start + element->displacement[piece] + remaining;
}
