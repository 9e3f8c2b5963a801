/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.h: strict parsers for the arguments of a command line.
 *
 * A parser accepts the complete text or nothing: no leading blanks, no trailing characters, no overflow.
 */
#ifndef ISOCHRON_TEXT_H
#define ISOCHRON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A list of texts; items point into storage. */
struct text_list {
    char *storage;
    const char **items;
    size_t count;
};

/* Parse a decimal integer with an optional sign. */
bool text_integer(const char *text, int64_t *value);

/* Parse a finite decimal number. */
bool text_real(const char *text, double *value);

/* Parse a number of bytes: digits, then nothing, B, KiB, MiB or GiB. */
bool text_bytes(const char *text, int64_t *value);

/* Return the index of text among the choices, which end with NULL; -1 if it is none of them. */
int text_choice(const char *text, const char *const *choices);

/* Write the choices as "a|b|c", truncated to the capacity. */
void text_join(const char *const *choices, char *text, size_t capacity);

/* Split text at commas. False if an item is empty or repeated, or memory is short (then errno is ENOMEM). */
bool text_split(const char *text, struct text_list *list);

void text_list_free(struct text_list *list);

#endif
