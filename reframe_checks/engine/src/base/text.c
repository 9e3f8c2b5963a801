/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c: strict readers for the words of a command line (see text.h). */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_starts_number(const char *word)
{
    if (*word == '+' || *word == '-')
        word++;
    return isdigit((unsigned char)*word) || *word == '.';
}

bool text_integer(const char *word, int64_t *value)
{
    if (!text_starts_number(word))
        return false;
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(word, &end, 10);
    if (errno != 0 || end == word || *end != '\0')
        return false;
    *value = number;
    return true;
}

bool text_real(const char *word, double *value)
{
    if (!text_starts_number(word) || strpbrk(word, "xX") != NULL)
        return false;
    char *end = NULL;
    errno = 0;
    const double number = strtod(word, &end);
    if (errno != 0 || end == word || *end != '\0' || !isfinite(number))
        return false;
    *value = number;
    return true;
}

bool text_bytes(const char *word, int64_t *value)
{
    static const struct {
        const char *suffix;
        int64_t factor;
    } units[] = {{"", 1}, {"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};

    if (!isdigit((unsigned char)*word))
        return false;
    char *end = NULL;
    errno = 0;
    const long long number = strtoll(word, &end, 10);
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

int text_choice(const char *word, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

void text_join(const char *const *words, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; words[i] != NULL && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", i == 0 ? "" : "|", words[i]);
}

bool text_split(const char *words, struct text_list *list)
{
    size_t count = 1;
    for (const char *c = words; *c != '\0'; c++)
        count += *c == ',';
    *list = (struct text_list){.storage = strdup(words), .items = calloc(count, sizeof *list->items)};
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
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen = seen || strcmp(list->items[j], item) == 0;
        if (*item == '\0' || seen) {
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
