/* SPDX-License-Identifier: BSD-3-Clause */
/* test_output.c: JSON text, checksum, and the file that exists only when complete. */
#include "base/crc32.h"
#include "base/json.h"
#include "base/output.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool test_json_is(struct json *json, const char *expected)
{
    const bool same = json->length == strlen(expected) && memcmp(json->text, expected, json->length) == 0;
    if (!same)
        printf("      %.*s\n", (int)json->length, json->text);
    json_free(json);
    return same;
}

static void test_json(struct harness *h)
{
    struct json json = {0};
    harness_case(h, "json: objects, arrays and commas");
    json_open(&json, NULL, '{');
    json_integer(&json, "a", INT64_MIN);
    json_open(&json, "b", '[');
    json_boolean(&json, NULL, true);
    json_open(&json, NULL, '{');
    json_close(&json, '}');
    json_null(&json, NULL);
    json_close(&json, ']');
    json_integers(&json, "c", (int64_t[]){1, -2}, 2);
    json_booleans(&json, "d", (bool[]){false, true}, 2);
    json_integers(&json, "e", NULL, 0);
    json_close(&json, '}');
    harness_is(h, test_json_is(&json, "{\"a\":-9223372036854775808,\"b\":[true,{},null],\"c\":[1,-2],"
                                      "\"d\":[false,true],\"e\":[]}"));

    harness_case(h, "json: numbers that are not finite become null");
    json_open(&json, NULL, '[');
    json_real(&json, NULL, NAN);
    json_real(&json, NULL, INFINITY);
    json_real(&json, NULL, 0.05);
    json_real(&json, NULL, 123456.25);
    json_close(&json, ']');
    harness_is(h, test_json_is(&json, "[null,null,0.05,123456.25]"));

    harness_case(h, "json: quotes, backslashes and control characters are escaped");
    json_text(&json, "k\"", "a\"b\\c\n\t\x01\x7f{[");
    harness_is(h, test_json_is(&json, "\"k\\\"\":\"a\\\"b\\\\c\\u000a\\u0009\\u0001\\u007f{[\""));

    harness_case(h, "json: a string that ends in a bracket does not confuse the commas");
    json_open(&json, NULL, '[');
    json_text(&json, NULL, "[");
    json_text(&json, NULL, "{");
    json_close(&json, ']');
    harness_is(h, test_json_is(&json, "[\"[\",\"{\"]"));

    harness_case(h, "json: UTF-8 passes, bytes that are none become question marks");
    json_text(&json, NULL, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 \xff\xc3 \xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80");
    harness_is(h, test_json_is(&json, "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 ?? ?? ??? ????\""));
}

static void test_crc(struct harness *h)
{
    harness_case(h, "crc32: known values");
    harness_is(h, crc32_update(0, "", 0) == 0);
    harness_is(h, crc32_update(0, "123456789", 9) == UINT32_C(0xcbf43926));
    harness_is(h, crc32_update(0, "The quick brown fox jumps over the lazy dog", 43) == UINT32_C(0x414fa339));
    harness_is(h, crc32_update(0, "\0\0\0\0", 4) == UINT32_C(0x2144df1c));
    harness_case(h, "crc32: in pieces as in one");
    harness_is(h, crc32_update(crc32_update(0, "1234", 4), "56789", 5) == UINT32_C(0xcbf43926));
}

static void test_write_line(struct output *output, struct fault *fault)
{
    struct json json = {0};
    json_open(&json, NULL, '{');
    json_text(&json, "record", "header");
    json_close(&json, '}');
    output_record(output, &json, fault);
    json_free(&json);
}

static void test_file(struct harness *h)
{
    char folder[] = "/tmp/isochron-test-XXXXXX";
    char path[64], partial[80], text[256] = "";
    struct output output;
    struct fault fault = {0};
    harness_case(h, "output: no file before the end, the whole file after it");
    harness_is(h, mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/out.jsonl", folder);
    snprintf(partial, sizeof partial, "%s.partial", path);
    harness_is(h, output_open(&output, path, &fault) == 0);
    test_write_line(&output, &fault);
    harness_is(h, access(path, F_OK) != 0 && access(partial, F_OK) == 0);
    harness_is(h, output_finish(&output, &(struct output_footer){.elapsed_ns = 12}, &fault) == 0);
    output_discard(&output);
    harness_is(h, access(path, F_OK) == 0 && access(partial, F_OK) != 0);
    FILE *const file = fopen(path, "r");
    harness_is(h, file != NULL && fread(text, 1, sizeof text - 1, file) > 0);
    if (file != NULL)
        fclose(file);
    const char *const first = "{\"record\":\"header\"}\n";
    char expected[320], sealed[256];
    snprintf(sealed, sizeof sealed, "%s{\"record\":\"footer\",\"records\":1,\"elapsed_ns\":12", first);
    snprintf(expected, sizeof expected, "%s,\"file_crc32\":\"%08x\"}\n", sealed,
             (unsigned)crc32_update(0, sealed, strlen(sealed)));
    harness_is(h, strcmp(text, expected) == 0);

    harness_case(h, "output: a file that exists is a usage fault and stays");
    harness_is(h, output_open(&output, path, &fault) == FAULT_USAGE && strstr(fault.text, "exists") != NULL);
    output_discard(&output);
    harness_is(h, access(path, F_OK) == 0);
    unlink(path);

    harness_case(h, "output: discarded, nothing is left");
    fault = (struct fault){0};
    harness_is(h, output_open(&output, path, &fault) == 0);
    output_discard(&output);
    harness_is(h, access(path, F_OK) != 0 && access(partial, F_OK) != 0);
    rmdir(folder);

    harness_case(h, "output: a missing folder and a full device are system faults");
    harness_is(h, output_open(&output, "/nonexistent/folder/out", &fault) == FAULT_SYSTEM);
    output_discard(&output);
    fault = (struct fault){0};
    output = (struct output){.path = "/dev/full", .descriptor = -1};
    FILE *const full = fopen("/dev/full", "w");
    output.descriptor = full == NULL ? -1 : dup(fileno(full));
    test_write_line(&output, &fault);
    harness_is(h, fault.code == FAULT_SYSTEM && strstr(fault.text, "No space left") != NULL);
    output_discard(&output);
    if (full != NULL)
        fclose(full);
}

int main(void)
{
    struct harness h = {0};
    test_json(&h);
    test_crc(&h);
    test_file(&h);
    return harness_end(&h, "test_output");
}
