/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c: strict parsers for command-line arguments (see text.h). */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_starts_number(const char *text)
{
    if (*text == '+' || *text == '-')
        text++;
    return isdigit((unsigned char)*text) || *text == '.';
}

bool text_integer(const char *text, int64_t *value)
{
    if (!text_starts_number(text))
        return false;
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0')
        return false;
    *value = number;
    return true;
}

bool text_real(const char *text, double *value)
{
    if (!text_starts_number(text) || strpbrk(text, "xX") != NULL)
        return false;
    char *end = NULL;
    errno = 0;
    const double number = strtod(text, &end);
    if (errno != 0 || end == text || *end != '\0' || !isfinite(number))
        return false;
    *value = number;
    return true;
}

bool text_bytes(const char *text, int64_t *value)
{
    static const struct {
        const char *suffix;
        int64_t factor;
    } units[] = {{"", 1}, {"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};

    if (!isdigit((unsigned char)*text))
        return false;
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (errno != 0)
        return false;
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        if (strcmp(end, units[u].suffix) != 0)
            continue;
        if (number > INT64_MAX / units[u].factor)
            return false;
        *value = number * units[u].factor;
        return true;
    }
    return false;
}

int text_choice(const char *text, const char *const *choices)
{
    for (int i = 0; choices[i] != NULL; i++)
        if (strcmp(choices[i], text) == 0)
            return i;
    return -1;
}

void text_join(const char *const *choices, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; choices[i] != NULL && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", i == 0 ? "" : "|", choices[i]);
}

bool text_split(const char *text, struct text_list *list)
{
    size_t count = 1;
    for (const char *c = text; *c != '\0'; c++)
        count += *c == ',';
    *list = (struct text_list){.storage = strdup(text), .items = calloc(count, sizeof *list->items)};
    if (list->storage == NULL || list->items == NULL) {
        text_list_free(list);
        errno = ENOMEM;
        return false;
    }
    errno = 0;
    char *item = list->storage;
    for (size_t i = 0; i < count; i++) {
        char *const comma = strchr(item, ',');
        if (comma != NULL)
            *comma = '\0';
        bool repeated = false;
        for (size_t j = 0; j < i; j++)
            repeated = repeated || strcmp(list->items[j], item) == 0;
        if (*item == '\0' || repeated) {
            text_list_free(list);
            return false;
        }
        list->items[list->count++] = item;
        item = comma == NULL ? item : comma + 1;
    }
    return true;
}

void text_list_free(struct text_list *list)
{
    free(list->storage);
    free(list->items);
    *list = (struct text_list){0};
}
