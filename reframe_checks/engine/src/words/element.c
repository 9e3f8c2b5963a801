/* SPDX-License-Identifier: BSD-3-Clause */
/* element.c: reads descriptions of derived datatypes and finds their bytes (see element.h). */
#include "words/element.h"

#include "base/text.h"

#include <string.h>

bool element_is_derived(const char *text)
{
    return strncmp(text, "vector:", 7) == 0 || strncmp(text, "indexed:", 8) == 0;
}

/* Reads a whole number from 0 up to the limit, which ends at one of the characters in ends; NULL when there is none. */
static const char *element_number(const char *text, const char *ends, int *number)
{
    char word[16];
    const size_t length = strcspn(text, ends);
    int64_t value = 0;
    if (length == 0 || length >= sizeof word)
        return NULL;
    memcpy(word, text, length);
    word[length] = '\0';
    if (!text_integer(word, &value) || value < 0 || value > ELEMENT_LIMIT)
        return NULL;
    *number = (int)value;
    return text + length;
}

static bool element_read_vector(const char *text, struct element *element)
{
    const char *end = element_number(text, ":", &element->pieces);
    end = end == NULL || *end != ':' ? NULL : element_number(end + 1, ":", &element->length[0]);
    end = end == NULL || *end != ':' ? NULL : element_number(end + 1, "", &element->stride);
    const int64_t extent = (int64_t)element->pieces * element->stride;
    if (end == NULL || element->pieces < 1 || element->length[0] < 1 || element->stride < element->length[0] ||
        extent > ELEMENT_LIMIT)
        return false;
    element->kind = ELEMENT_VECTOR;
    element->size = element->pieces * element->length[0];
    element->extent = (int)extent;
    return true;
}

static bool element_read_indexed(const char *text, struct element *element)
{
    element->kind = ELEMENT_INDEXED;
    for (const char *at = text;; at++) {
        const int i = element->pieces++;
        at = i == ELEMENT_PIECES ? NULL : element_number(at, "@,", &element->length[i]);
        at = at == NULL || *at != '@' ? NULL : element_number(at + 1, ",", &element->place[i]);
        if (at == NULL || element->length[i] < 1 || element->place[i] < element->extent)
            return false;
        element->size += element->length[i];
        element->extent = element->place[i] + element->length[i];
        if (*at == '\0')
            return true;
    }
}

int element_parse(const char *text, struct element *element, struct fault *fault)
{
    *element = (struct element){0};
    if (strncmp(text, "vector:", 7) == 0 ? element_read_vector(text + 7, element)
                                         : element_is_derived(text) && element_read_indexed(text + 8, element))
        return 0;
    return fault_set(fault, FAULT_USAGE,
                     "--datatype '%.100s': give vector:COUNT:BLOCK:STRIDE with STRIDE of at least BLOCK, or "
                     "indexed:LENGTH@PLACE,... in ascending order; up to %d pieces and %d bytes",
                     text, ELEMENT_PIECES, ELEMENT_LIMIT);
}

int64_t element_place(const struct element *element, int64_t i)
{
    if (element->kind == ELEMENT_BASIC)
        return i;
    const int64_t start = i / element->size * element->extent;
    int left = (int)(i % element->size);
    if (element->kind == ELEMENT_VECTOR)
        return start + left / element->length[0] * element->stride + left % element->length[0];
    int piece = 0;
    while (left >= element->length[piece])
        left -= element->length[piece++];
    return start + element->place[piece] + left;
}
