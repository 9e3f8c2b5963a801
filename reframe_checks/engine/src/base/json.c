/* SPDX-License-Identifier: BSD-3-Clause */
/* json.c: the JSON writer (see json.h). */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void json_put(struct json *json, const char *bytes, size_t length)
{
    if (json->failed)
        return;
    if (json->capacity - json->length < length) {
        const size_t capacity = 2 * (json->length + length) + 256;
        char *const text = realloc(json->text, capacity);
        if (text == NULL) {
            json->failed = true;
            return;
        }
        json->text = text;
        json->capacity = capacity;
    }
    memcpy(json->text + json->length, bytes, length);
    json->length += length;
}

/* Bytes of the UTF-8 character that begins at text; 0 if there is no valid one. */
static size_t json_character(const unsigned char *text)
{
    const unsigned char lead = text[0];
    const size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (lead == 0xe0 && text[1] < 0xa0) || (lead == 0xf0 && text[1] < 0x90);
    const bool surrogate = lead == 0xed && text[1] > 0x9f;
    const bool too_large = lead == 0xf4 && text[1] > 0x8f;
    return overlong || surrogate || too_large ? 0 : length;
}

static void json_quote(struct json *json, const char *value)
{
    json_put(json, "\"", 1);
    const unsigned char *c = (const unsigned char *)value;
    while (*c != '\0') {
        const size_t length = json_character(c);
        char escape[8];
        if (length == 0) {
            json_put(json, "?", 1);
        } else if (*c == '"' || *c == '\\') {
            snprintf(escape, sizeof escape, "\\%c", *c);
            json_put(json, escape, 2);
        } else if (*c < 0x20 || *c == 0x7f) {
            snprintf(escape, sizeof escape, "\\u%04x", *c);
            json_put(json, escape, 6);
        } else {
            json_put(json, (const char *)c, length);
        }
        c += length == 0 ? 1 : length;
    }
    json_put(json, "\"", 1);
}

/* A comma unless this value is the first, then the key. */
static void json_begin(struct json *json, const char *key)
{
    const char last = json->length == 0 ? '\n' : json->text[json->length - 1];
    if (last != '{' && last != '[' && last != '\n')
        json_put(json, ",", 1);
    if (key != NULL) {
        json_quote(json, key);
        json_put(json, ":", 1);
    }
}

void json_open(struct json *json, const char *key, char bracket)
{
    json_begin(json, key);
    json_put(json, &bracket, 1);
}

void json_close(struct json *json, char bracket)
{
    json_put(json, &bracket, 1);
}

void json_text(struct json *json, const char *key, const char *value)
{
    if (value == NULL) {
        json_null(json, key);
        return;
    }
    json_begin(json, key);
    json_quote(json, value);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRId64, value);
    json_begin(json, key);
    json_put(json, digits, (size_t)length);
}

void json_integer_if(struct json *json, const char *key, int64_t value, bool present)
{
    if (present)
        json_integer(json, key, value);
    else
        json_null(json, key);
}

void json_real(struct json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        json_null(json, key);
        return;
    }
    char digits[40];
    const int length = snprintf(digits, sizeof digits, "%.10g", value);
    json_begin(json, key);
    json_put(json, digits, (size_t)length);
}

void json_boolean(struct json *json, const char *key, bool value)
{
    json_begin(json, key);
    json_put(json, value ? "true" : "false", value ? 4 : 5);
}

void json_null(struct json *json, const char *key)
{
    json_begin(json, key);
    json_put(json, "null", 4);
}

bool json_open_if(struct json *json, const char *key, char bracket, bool present)
{
    if (present)
        json_open(json, key, bracket);
    else
        json_null(json, key);
    return present;
}

void json_integers(struct json *json, const char *key, const int64_t *values, size_t count)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_integer(json, NULL, values[i]);
    json_close(json, ']');
}

void json_reals(struct json *json, const char *key, const double *values, size_t count)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_real(json, NULL, values[i]);
    json_close(json, ']');
}

void json_booleans(struct json *json, const char *key, const bool *values, size_t count)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_boolean(json, NULL, values[i]);
    json_close(json, ']');
}

void json_pairs(struct json *json, const char *key, const char *const *pairs, size_t count)
{
    json_open(json, key, '{');
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(pairs[i], "=");
        char name[JSON_PAIR_KEY + 1];
        snprintf(name, sizeof name, "%.*s", (int)length, pairs[i]);
        json_text(json, name, pairs[i] + length + 1);
    }
    json_close(json, '}');
}

void json_now(struct json *json, const char *key)
{
    const time_t now = time(NULL);
    struct tm utc;
    char text[32] = "";
    if (gmtime_r(&now, &utc) != NULL)
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    json_text(json, key, text);
}

void json_newline(struct json *json)
{
    json_put(json, "\n", 1);
}

void json_free(struct json *json)
{
    free(json->text);
    *json = (struct json){0};
}
