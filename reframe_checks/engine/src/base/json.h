/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json.h: a writer of one JSON value into memory, on one line.
 *
 * The text is always valid JSON: strings are escaped, bytes that are not UTF-8 become '?', and a number that is not
 * finite is written as null. With a key of NULL an array element is written. If memory is short, failed is set and
 * later calls do nothing.
 */
#ifndef ISOCHRON_JSON_H
#define ISOCHRON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    char *text; /* not terminated */
    size_t length;
    size_t capacity;
    bool failed;
};

/* Open an object ('{') or an array ('['); json_close takes '}' or ']'. */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);

/* Open it if there is something to write, else write null. Return whether it was opened. */
bool json_open_if(struct json *json, const char *key, char bracket, bool present);

void json_text(struct json *json, const char *key, const char *value); /* NULL is written as null */
void json_integer(struct json *json, const char *key, int64_t value);
void json_integer_if(struct json *json, const char *key, int64_t value, bool present); /* else null */
void json_real(struct json *json, const char *key, double value);
void json_boolean(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/* Write an array of count values. */
void json_integers(struct json *json, const char *key, const int64_t *values, size_t count);
void json_reals(struct json *json, const char *key, const double *values, size_t count);
void json_booleans(struct json *json, const char *key, const bool *values, size_t count);

enum { JSON_PAIR_KEY = 100 }; /* characters of K */

/* Write texts K=V as the members of an object. */
void json_pairs(struct json *json, const char *key, const char *const *pairs, size_t count);

/* Write the time now, in UTC and ISO 8601. */
void json_now(struct json *json, const char *key);

/* End the line. */
void json_newline(struct json *json);

void json_free(struct json *json);

#endif
