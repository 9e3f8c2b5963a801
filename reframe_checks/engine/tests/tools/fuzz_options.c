/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_options.c: mutated command lines from valid and invalid arguments, against the contract of the parser.
 *
 *   fuzz_options INPUTS [SEED]
 *
 * For the sanitizers. The same seed gives the same inputs; an error prints the input and aborts.
 */
#include "base/random.h"
#include "options/command_line.h"
#include "options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUZZ_ARGUMENTS = 12, FUZZ_LENGTH = 64 };

struct fuzz {
    uint64_t state;
    char arguments[FUZZ_ARGUMENTS][FUZZ_LENGTH];
    char *argv[FUZZ_ARGUMENTS + 1];
    int argc;
};

/* Arguments that reach deeper into the parsers. */
static const char *const FUZZ_VALUES[] = {
    "8",
    "0",
    "-1",
    "1e3",
    "0x10",
    "nan",
    "inf",
    "-inf",
    "0.25",
    "1e-320",
    "1e400",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "8,64,1KiB",
    "8:64KiB:x8",
    "0:4096:+512",
    "1:9223372036854775807:x2",
    "0:9223372036854775807:+9223372036854775807",
    "8388608GiB",
    "8589934591GiB",
    "4KiB,4096",
    ",",
    ":",
    "::x2",
    "8:8:x1",
    "1:2:+0",
    "all",
    "bcast,reduce",
    "a=b",
    "=",
    "k==v",
    "window",
    "spin",
    "random:1",
    "random:-1",
    "random:",
    "one-late:5",
    "one-late:1e10",
    "one-late:nan",
    "ascending",
    "list:",
    "list:x",
    "reverse",
    "cold",
    "warm",
    "",
    "-",
    "--",
    "---",
    "--output=f",
    "%s%n",
    "\n",
    "\t",
    "\x01\x02",
    "\xff\xfe",
    "\xc3\xa9",
    "'",
    "\"",
    "time",
    "reps",
    "relative-error",
};

enum { FUZZ_VALUE_COUNT = sizeof FUZZ_VALUES / sizeof FUZZ_VALUES[0] };

static const char *fuzz_pick(struct fuzz *fuzz)
{
    size_t count = 0;
    const struct option_rule *const rules = option_table(&count);
    if (random_below(&fuzz->state, 2) == 0)
        return rules[random_below(&fuzz->state, count)].name;
    return FUZZ_VALUES[random_below(&fuzz->state, FUZZ_VALUE_COUNT)];
}

/* Change, insert, remove or repeat a byte at a random position. */
static void fuzz_mutate(struct fuzz *fuzz, char *argument)
{
    static const char alphabet[] = "0123456789.,:+-xeEKMGTiB=|abz \n\x7f\xc3";
    const size_t length = strlen(argument);
    const size_t at = random_below(&fuzz->state, length + 1);
    const char byte = alphabet[random_below(&fuzz->state, sizeof alphabet - 1)];
    switch (random_below(&fuzz->state, 3)) {
    case 0:
        if (at < length)
            argument[at] = byte;
        break;
    case 1:
        if (at < length)
            memmove(argument + at, argument + at + 1, length - at);
        break;
    default:
        if (length + 1 < FUZZ_LENGTH) {
            memmove(argument + at + 1, argument + at, length - at + 1);
            argument[at] = byte;
        }
    }
}

/* A line, three times in four with all required options, so that later checks are reached. */
static void fuzz_make(struct fuzz *fuzz)
{
    static const char *const needed[] = {"engine", "--operations", "bcast", "--output", "f", "--sizes", "8:64:x2"};
    const int count = random_below(&fuzz->state, 4) > 0 ? 7 : 1;
    fuzz->argc = count + (int)random_below(&fuzz->state, (uint64_t)(FUZZ_ARGUMENTS - count + 1));
    for (int i = 0; i < fuzz->argc; i++) {
        char *const argument = fuzz->arguments[i];
        snprintf(argument, FUZZ_LENGTH, "%s", i < count ? needed[i] : fuzz_pick(fuzz));
        for (uint64_t m = i == 0 ? 0 : random_below(&fuzz->state, 16); m > 12; m--)
            fuzz_mutate(fuzz, argument);
        fuzz->argv[i] = argument;
    }
    fuzz->argv[fuzz->argc] = NULL;
}

static void fuzz_require(const struct fuzz *fuzz, bool holds, const char *text)
{
    if (holds)
        return;
    fprintf(stderr, "finding: not true: %s; the line:", text);
    for (int i = 0; i < fuzz->argc; i++)
        fprintf(stderr, " [%s]", fuzz->argv[i]);
    fputc('\n', stderr);
    abort();
}

static void fuzz_require_good(const struct fuzz *fuzz, const struct options *options)
{
    struct json json = {0};
    const int64_t alignment = options->alignment;
    fuzz_require(fuzz,
                 alignment >= 8 &&
                     (options_print_only(options) || options->check_timer || (alignment & (alignment - 1)) == 0),
                 "the alignment is a power of two");
    fuzz_require(fuzz, options->trim >= 0.0 && options->trim < 0.5, "the share to trim is in range");
    fuzz_require(fuzz, options->arrival.spread_ns >= 0, "arrivals are not before the slot");
    for (size_t i = 0; i < options->sizes.count; i++)
        fuzz_require(fuzz, options->sizes.bytes[i] >= 0, "no size is negative");
    json_open(&json, NULL, '{');
    options_write(options, &json);
    json_close(&json, '}');
    fuzz_require(fuzz, !json.failed && memchr(json.text, '\n', json.length) == NULL, "options are one line of JSON");
    json_free(&json);
}

/* Expect the line to be accepted, or refused in one line; return true if it is accepted. */
static bool fuzz_try(const struct fuzz *fuzz)
{
    struct options options;
    struct fault fault = {0};
    const int code = options_parse(fuzz->argc, (char **)fuzz->argv, &options, &fault);
    fuzz_require(fuzz, code == 0 || code == FAULT_USAGE, "the code is 0 or 2");
    fuzz_require(fuzz, (code == 0) == (fault.text[0] == '\0'), "a refusal has a reason");
    fuzz_require(fuzz, strpbrk(fault.text, "\n\r") == NULL, "a reason is one line");
    if (code == 0)
        fuzz_require_good(fuzz, &options);
    options_free(&options);
    return code == 0;
}

int main(int argc, char **argv)
{
    struct fuzz fuzz = {.state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    const long inputs = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    long accepted = 0;
    for (long i = 0; i < inputs; i++) {
        fuzz_make(&fuzz);
        accepted += fuzz_try(&fuzz);
    }
    printf("fuzz_options: %ld inputs, %ld accepted, no finding\n", inputs, accepted);
    return 0;
}
