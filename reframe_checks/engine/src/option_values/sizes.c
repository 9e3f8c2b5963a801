/* SPDX-License-Identifier: BSD-3-Clause */
/* sizes.c: parses lists and ranges of message sizes (see sizes.h). */
#include "option_values/sizes.h"

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
    struct text_list items;
    if (!text_split(text, &items))
        return errno == ENOMEM ? fault_set(fault, FAULT_SYSTEM, "out of memory for the sizes")
                               : fault_set(fault, FAULT_USAGE,
                                           "--sizes '%s': empty or repeated size; write for example 8,1KiB", text);
    if (items.count > SIZES_LIMIT)
        fault_set(fault, FAULT_USAGE, "--sizes: %zu sizes, but a launch takes at most %d; remove some", items.count,
                  SIZES_LIMIT);
    else
        sizes_allocate(sizes, items.count, fault);
    for (size_t i = 0; fault->code == FAULT_NONE && i < items.count; i++) {
        int64_t bytes = 0;
        if (!text_bytes(items.items[i], &bytes))
            fault_set(fault, FAULT_USAGE,
                      "--sizes: '%s' is not a size; write an integer with an optional unit B, KiB, MiB or GiB",
                      items.items[i]);
        for (size_t j = 0; j < i; j++)
            if (sizes->bytes[j] == bytes)
                fault_set(fault, FAULT_USAGE, "--sizes: '%s' given twice; give it once", items.items[i]);
        sizes->bytes[sizes->count++] = bytes;
    }
    text_list_free(&items);
    return (int)fault->code;
}

/* Split "MIN:MAX:xFACTOR" or "MIN:MAX:+STEP" into its numbers. */
static bool sizes_read_range(const char *text, int64_t *low, int64_t *high, char *kind, int64_t *step)
{
    char items[3][32];
    for (int i = 0; i < 3; i++) {
        const size_t length = strcspn(text, ":");
        if (length >= sizeof items[i] || (i < 2) != (text[length] == ':'))
            return false;
        memcpy(items[i], text, length);
        items[i][length] = '\0';
        text += length + (i < 2);
    }
    *kind = items[2][0];
    const bool multiplied = *kind == 'x';
    return text_bytes(items[0], low) && text_bytes(items[1], high) && (multiplied || *kind == '+') &&
           items[2][1] >= '0' && items[2][1] <= '9' &&
           (multiplied ? text_integer(items[2] + 1, step) : text_bytes(items[2] + 1, step));
}

static int sizes_parse_range(const char *text, struct sizes *sizes, struct fault *fault)
{
    int64_t low = 0, high = 0, step = 0;
    char kind = '\0';
    if (!sizes_read_range(text, &low, &high, &kind, &step))
        return fault_set(fault, FAULT_USAGE, "--sizes '%s': not a range; write MIN:MAX:xFACTOR or MIN:MAX:+STEP", text);
    if (low > high)
        return fault_set(fault, FAULT_USAGE, "--sizes '%s': MIN is larger than MAX; exchange them", text);
    if (kind == 'x' && (low < 1 || step < 2))
        return fault_set(fault, FAULT_USAGE, "--sizes '%s': xFACTOR needs MIN of at least 1 and a factor of at least 2",
                         text);
    if (step < 1)
        return fault_set(fault, FAULT_USAGE, "--sizes '%s': the step must be at least 1", text);
    if (sizes_allocate(sizes, SIZES_LIMIT, fault))
        return (int)fault->code;
    for (int64_t bytes = low;;) {
        if (sizes->count == SIZES_LIMIT)
            return fault_set(fault, FAULT_USAGE, "--sizes '%s': more than %d sizes; take a larger factor or step", text,
                             SIZES_LIMIT);
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
