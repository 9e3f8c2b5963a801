/* SPDX-License-Identifier: BSD-3-Clause */
/* element.c: parses descriptions of derived datatypes and locates their bytes (see element.h). */
#include "option_values/element.h"

#include "base/text.h"

#include <string.h>

bool element_is_derived(const char *text)
{
    return strncmp(text, "vector:", 7) == 0 || strncmp(text, "indexed:", 8) == 0;
}

/* 64, 512, 4096 and 64 bytes of data: powers of two, so that the usual message sizes are whole elements. */
const struct element_name ELEMENT_NAMES[ELEMENT_NAME_COUNT] = {
    {"vector-8", "vector:8:8:16"},
    {"vector-32", "vector:16:32:64"},
    {"vector-512", "vector:8:512:1024"},
    {"indexed", "indexed:4@0,12@8,8@32,40@48"},
};

bool element_follows(const char *text, const char *operation, const char **datatype)
{
    const size_t length = strlen(operation);
    if (strncmp(text, operation, length) != 0 || text[length] != '@')
        return false;
    *datatype = text + length + 1;
    return true;
}

int element_find(const char *operation, const char *datatype, const struct element_name **name, struct fault *fault)
{
    const char *choices[ELEMENT_NAME_COUNT + 1] = {0};
    char listed[128];
    for (int i = 0; i < ELEMENT_NAME_COUNT; i++) {
        choices[i] = ELEMENT_NAMES[i].name;
        *name = &ELEMENT_NAMES[i];
        if (strcmp(choices[i], datatype) == 0)
            return 0;
    }
    *name = NULL;
    text_join(choices, listed, sizeof listed);
    return fault_set(fault, FAULT_USAGE, "--operations: '%s@%.40s': unknown datatype; give one of %s", operation,
                     datatype, listed);
}

struct element element_of(const struct element_name *name)
{
    struct element element;
    struct fault fault = {0};
    element_parse(name->text, &element, &fault); /* the texts are valid (test_element.c) */
    return element;
}

bool element_fits(const struct element_name *name, int64_t bytes)
{
    return name == NULL || bytes % element_of(name).size == 0;
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

int64_t element_offset(const struct element *element, int64_t i, int64_t *run)
{
    *run = INT64_MAX;
    if (element->kind == ELEMENT_BASIC)
        return i;
    const int64_t start = i / element->size * element->extent;
    int remaining = (int)(i % element->size);
    if (element->kind == ELEMENT_VECTOR) {
        const int block = remaining / element->length[0], place = remaining % element->length[0];
        *run = element->length[0] - place;
        return start + block * element->stride + place;
    }
    int piece = 0;
    while (remaining >= element->length[piece])
        remaining -= element->length[piece++];
    *run = element->length[piece] - remaining;
    return start + element->displacement[piece] + remaining;
}
