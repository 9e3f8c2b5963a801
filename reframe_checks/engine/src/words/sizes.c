/* SPDX-License-Identifier: BSD-3-Clause */
/* sizes.c: reads lists and ranges of message sizes (see sizes.h). */
#include "words/sizes.h"

#include "base/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int sizes_allocate(struct sizes *sizes, size_t count, struct fault *fault)
{
    *sizes = (struct sizes){.bytes = calloc(count, sizeof *sizes->bytes)};
    return sizes->bytes == NULL ? fault_set(fault, FAULT_SYSTEM, "out of memory for %zu sizes", count) : 0;
}

static int sizes_parse_list(const char *text, struct sizes *sizes, struct fault *fault)
{
    struct text_list words;
    if (!text_split(text, &words))
        return errno == ENOMEM ? fault_set(fault, FAULT_SYSTEM, "out of memory for the sizes")
                               : fault_set(fault, FAULT_USAGE,
                                           "--sizes '%s': an empty or repeated size; write for example 8,1KiB", text);
    if (words.count > SIZES_LIMIT)
        fault_set(fault, FAULT_USAGE, "--sizes: %zu sizes; at most %d", words.count, SIZES_LIMIT);
    else
        sizes_allocate(sizes, words.count, fault);
    for (size_t i = 0; fault->code == FAULT_NONE && i < words.count; i++) {
        int64_t bytes = 0;
        if (!text_bytes(words.items[i], &bytes))
            fault_set(fault, FAULT_USAGE, "--sizes: '%s' is no size; write digits, then nothing, B, KiB, MiB or GiB",
                      words.items[i]);
        for (size_t j = 0; j < i; j++)
            if (sizes->bytes[j] == bytes)
                fault_set(fault, FAULT_USAGE, "--sizes: '%s' is given twice", words.items[i]);
        sizes->bytes[sizes->count++] = bytes;
    }
    text_list_free(&words);
    return (int)fault->code;
}

/* Splits "MIN:MAX:xFACTOR" or "MIN:MAX:+STEP" into its numbers. */
static bool sizes_read_range(const char *text, int64_t *low, int64_t *high, char *kind, int64_t *step)
{
    char words[3][32];
    for (int i = 0; i < 3; i++) {
        const size_t length = strcspn(text, ":");
        if (length >= sizeof words[i] || (i < 2) != (text[length] == ':'))
            return false;
        memcpy(words[i], text, length);
        words[i][length] = '\0';
        text += length + (i < 2);
    }
    *kind = words[2][0];
    const bool multiplied = *kind == 'x';
    return text_bytes(words[0], low) && text_bytes(words[1], high) && (multiplied || *kind == '+') &&
           words[2][1] >= '0' && words[2][1] <= '9' &&
           (multiplied ? text_integer(words[2] + 1, step) : text_bytes(words[2] + 1, step));
}

static int sizes_parse_range(const char *text, struct sizes *sizes, struct fault *fault)
{
    int64_t low = 0, high = 0, step = 0;
    char kind = '\0';
    if (!sizes_read_range(text, &low, &high, &kind, &step))
        return fault_set(fault, FAULT_USAGE, "--sizes '%s': a range is MIN:MAX:xFACTOR or MIN:MAX:+STEP", text);
    if (low > high)
        return fault_set(fault, FAULT_USAGE, "--sizes '%s': MIN is larger than MAX", text);
    if (kind == 'x' && (low < 1 || step < 2))
        return fault_set(fault, FAULT_USAGE, "--sizes '%s': xFACTOR needs MIN of at least 1 and a factor of at least 2",
                         text);
    if (step < 1)
        return fault_set(fault, FAULT_USAGE, "--sizes '%s': the step must be at least 1", text);
    if (sizes_allocate(sizes, SIZES_LIMIT, fault))
        return (int)fault->code;
    for (int64_t bytes = low;;) {
        if (sizes->count == SIZES_LIMIT)
            return fault_set(fault, FAULT_USAGE, "--sizes '%s': more than %d sizes", text, SIZES_LIMIT);
        sizes->bytes[sizes->count++] = bytes;
        if (kind == 'x' ? bytes > high / step : bytes > high - step)
            return 0;
        bytes = kind == 'x' ? bytes * step : bytes + step;
    }
}

int sizes_parse(const char *text, struct sizes *sizes, struct fault *fault)
{
    *sizes = (struct sizes){0};
    const int code =
        strchr(text, ':') != NULL ? sizes_parse_range(text, sizes, fault) : sizes_parse_list(text, sizes, fault);
    if (code != 0)
        sizes_free(sizes);
    return code;
}

void sizes_free(struct sizes *sizes)
{
    free(sizes->bytes);
    *sizes = (struct sizes){0};
}
