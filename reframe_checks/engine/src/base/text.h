/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.h: strict readers for the words of a command line.
 *
 * A reader accepts the whole word or nothing: no leading blanks, no trailing rest, no overflow.
 */
#ifndef ISOCHRON_TEXT_H
#define ISOCHRON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of words; items point into storage. */
struct text_list {
    char *storage;
    const char **items;
    size_t count;
};

/* A decimal integer, with an optional sign. */
bool text_integer(const char *word, int64_t *value);

/* A finite decimal number. */
bool text_real(const char *word, double *value);

/* A number of bytes: digits, then nothing, B, KiB, MiB or GiB. */
bool text_bytes(const char *word, int64_t *value);

/* The place of the word among words, which end with NULL; -1 when it is none of them. */
int text_choice(const char *word, const char *const *words);

/* The words as "a|b|c", cut short where the room is. */
void text_join(const char *const *words, char *text, size_t capacity);

/* Splits at commas. False when an item is empty, occurs twice, or memory is short (then errno is ENOMEM). */
bool text_split(const char *words, struct text_list *list);

void text_list_free(struct text_list *list);

#endif
