/* SPDX-License-Identifier: BSD-3-Clause */
/* test_options.c: valid and invalid command lines and sizes. */
#include "harness.h"
#include "options/command_line.h"

#include <string.h>

enum { TEST_ARGUMENTS = 32 };

/* Parse a line, split at blanks; '~' is an empty argument. The caller frees the options. */
static int test_parse(const char *line, char storage[1024], struct options *options, struct fault *fault)
{
    char *argv[TEST_ARGUMENTS] = {"isochron-engine"};
    int argc = 1;
    strncpy(storage, line, 1023);
    storage[1023] = '\0';
    char *rest = NULL;
    for (char *argument = strtok_r(storage, " ", &rest); argument != NULL && argc < TEST_ARGUMENTS;
         argument = strtok_r(NULL, " ", &rest))
        argv[argc++] = strcmp(argument, "~") == 0 ? "" : argument;
    *fault = (struct fault){0};
    return options_parse(argc, argv, options, fault);
}

/* Expect a usage fault whose line names the error. */
static void test_is_bad(struct harness *h, const char *line, const char *named)
{
    char storage[1024];
    struct options options;
    struct fault fault;
    harness_case(h, line);
    harness_is(h, test_parse(line, storage, &options, &fault) == FAULT_USAGE);
    harness_is(h, strstr(fault.text, named) != NULL);
    harness_is(h, strchr(fault.text, '\n') == NULL && strlen(fault.text) > strlen(named));
    options_free(&options);
}

static void test_bad_lines(struct harness *h)
{
    static const char *const lines[][2] = {
        {"--sizes 8 --output f", "--operations"},
        {"--operations bcast --sizes 8", "--output"},
        {"--operations", "--operations"},
        {"--operations ~ --sizes 8 --output f", "--operations"},
        {"--operations bcast --sizes 8 --output f --frobnicate", "--frobnicate"},
        {"--operations bcast --sizes 8 --output f stray", "stray"},
        {"--operations bcast --sizes 8 --output f -x", "-x"},
        {"--operations bcast --sizes 8 --output=f", "--output=f"},
        {"--operations bcast --sizes 8 --output f --output g", "twice"},
        {"--operations bcast --sizes 8 --output f --check --check", "twice"},
        {"--operations bcast --sizes 8 --output f --scheme windows", "--scheme"},
        {"--operations bcast --sizes 8 --output f --scheme wind", "--scheme"},
        {"--operations bcast --sizes 8 --output f --scheme window|barrier", "--scheme"},
        {"--operations bcast --sizes 8 --output f --timer sundial", "--timer"},
        {"--operations bcast --sizes 8 --output f --offset guess", "--offset"},
        {"--operations bcast --sizes 8 --output f --stop never", "--stop"},
        {"--operations bcast --sizes 8 --output f --wait patiently", "--wait"},
        {"--operations bcast --sizes 8 --output f --batch 0", "--batch"},
        {"--operations bcast --sizes 8 --output f --batch 8x", "--batch"},
        {"--operations bcast --sizes 8 --output f --batch 1e3", "--batch"},
        {"--operations bcast --sizes 8 --output f --batch 99999999999999999999", "--batch"},
        {"--operations bcast --sizes 8 --output f --max-invalid 1.5", "--max-invalid"},
        {"--operations bcast --sizes 8 --output f --slot-growth 1", "--slot-growth"},
        {"--operations bcast --sizes 8 --output f --slot-growth nan", "--slot-growth"},
        {"--operations bcast --sizes 8 --output f --relative-error 0", "--relative-error"},
        {"--operations bcast --sizes 8 --output f --relative-error inf", "--relative-error"},
        {"--operations bcast --sizes 8 --output f --trim 0.5", "--trim"},
        {"--operations bcast --sizes 8 --output f --trim -0.1", "--trim"},
        {"--operations bcast --sizes 8 --output f --confidence 95", "--confidence"},
        {"--operations bcast --sizes 8 --output f --confidence 0x1p-1", "--confidence"},
        {"--operations bcast --sizes 8 --output f --min-valid 140", "--min-valid"},
        {"--operations bcast --sizes 8 --output f --min-valid 10 --max-reps 5", "--min-valid"},
        {"--operations bcast --sizes 8 --output f --time-budget 2", "--stop time"},
        {"--operations bcast --sizes 8 --output f --alignment 48", "--alignment"},
        {"--operations bcast --sizes 8 --output f --root -1", "--root"},
        {"--operations bcast --sizes 8 --output f --datatype quaternion", "--datatype"},
        {"--operations bcast --sizes 8 --output f --append-header key", "K=V"},
        {"--operations bcast --sizes 8 --output f --append-header =value", "K=V"},
        {"--operations bcast --sizes 8 --output f --append-header k=1 k=2", "twice"},
        {"--operations bcast --sizes 8 --output f --append-header", "--append-header"},
        {"--operations bcast --sizes 8 --output f --buffers tepid", "--buffers"},
        {"--operations bcast --sizes 8 --output f --arrival rising", "--arrival"},
        {"--operations bcast --sizes 8 --output f --arrival random", "--arrival"},
        {"--operations bcast --sizes 8 --output f --arrival random:x", "--arrival"},
        {"--operations bcast --sizes 8 --output f --arrival one-late:-1", "--arrival"},
        {"--operations bcast --sizes 8 --output f --arrival ascending --max-slot-us 100", "--max-slot-us"},
        {"--operations bcast --sizes 8 --output f --rank-order backwards", "--rank-order"},
        {"--operations bcast --sizes 8 --output f --rank-order list:", "--rank-order"},
        {"--operations bcast --sizes 8, --output f", "--sizes"},
        {"--operations bcast --sizes eight --output f", "--sizes"},
        {"--operations bcast --sizes -8 --output f", "--sizes"},
        {"--operations bcast --sizes 8:64 --output f", "--sizes"},
        {"--operations bcast --sizes 8 --output f --turns x", "--turn is missing"},
        {"--operations bcast --sizes 8 --output f --turn 0/2", "only valid with --turns"},
        {"--operations bcast --sizes 8 --output f --turn-limit 5", "--turn-limit: only valid with"},
        {"--operations bcast --sizes 8 --output f --turn-time 1", "--turn-time: only valid with"},
        {"--operations bcast --sizes 8 --output f --turn-seed 5", "--turn-seed: only valid with"},
        {"--operations bcast --sizes 8 --output f --turn-last 0", "--turn-last: only valid with"},
        {"--operations bcast --sizes 8 --output f --turn-passes 2", "--turn-passes: only valid with"},
        {"--operations bcast --sizes 8 --output f --turns x --turn 0/2 --passes 8 --turn-passes 5", "divisor of"},
        {"--operations bcast --sizes 8 --output f --solo-passes 2", "--solo-passes: only valid with"},
        {"--operations bcast --sizes 8 --output f --turns a/b --turn 0/2", "letters"},
        {"--operations bcast --sizes 8 --output f --turns x --turn 2/2", "I from 0 to N - 1"},
        {"--operations bcast --sizes 8 --output f --turns x --turn 0/1", "N from 2 to 32"},
        {"--operations bcast --sizes 8 --output f --turns x --turn 0/33", "N from 2 to 32"},
        {"--operations bcast --sizes 8 --output f --turns x --turn 0", "I/N"},
        {"--operations bcast --sizes 8 --output f --turns x --turn -1/2", "I/N"},
        {"--operations bcast --sizes 8 --output f --turns x --turn 0/2/3", "I/N"},
        {"--operations bcast --sizes 8 --output f --turns x --turn 0/2 --turn-last 2", "give -1 to 1"},
        {"--operations bcast --sizes 8 --output f --turns x --turn 0/2 --pass-span 1", "remove it"},
        {"--operations bcast --sizes 8 --output f --turns x --turn 0/2 --first-call", "remove one of the two"},
        {"--operations bcast --sizes 8 --output f --turns x --turn 0/2 --probes gate", "take --probes record"},
        {"--operations bcast --sizes 8 --output f --turns x --turn 0/2 --buffers cold", "take --buffers warm"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        test_is_bad(h, lines[i][0], lines[i][1]);
}

static void test_good_lines(struct harness *h)
{
    char storage[1024];
    struct options options;
    struct fault fault;
    harness_case(h, "the defaults are those of the method");
    harness_is(h, test_parse("--operations bcast --sizes 8 --output f", storage, &options, &fault) == 0);
    harness_is(h, options.warmup_reps == 4 && options.batch == 8 && options.max_invalid == 0.25);
    harness_is(h, options.slot_growth == 1.1 && options.trim == 0.25 && options.relative_error == 0.05);
    harness_is(h, options.min_valid == 10 && options.max_valid == 100 && options.max_reps == 400);
    harness_is(h, options.scheme == SCHEME_WINDOW && options.stop == STOP_RELATIVE_ERROR);
    options_free(&options);

    harness_case(h, "values, flags and pairs arrive");
    const char *const line = "--operations a,b --sizes 1KiB --output f --batch 16 --trim 0.1 --check "
                             "--append-header a=1 b=x=y --append-header c= --wait sleep";
    harness_is(h, test_parse(line, storage, &options, &fault) == 0);
    harness_is(h, options.batch == 16 && options.trim == 0.1 && options.check && !options.memory);
    harness_is(h, options.launch.count == 3 && strcmp(options.launch.texts[1], "b=x=y") == 0);
    harness_is(h, options.wait == WAIT_SLEEP && options.sizes.bytes[0] == 1024);
    options_free(&options);

    harness_case(h, "a resident");
    harness_is(h, test_parse("--operations bcast --sizes 8 --output f --turns a.b_c-1 --turn 31/32 --turn-last 31 "
                             "--solo-passes 3",
                             storage, &options, &fault) == 0);
    harness_is(h, options.turn.index == 31 && options.turn.residents == 32 && options.solo_passes == 3);
    options_free(&options);

    harness_case(h, "--help needs nothing else");
    harness_is(h, test_parse("--help", storage, &options, &fault) == 0 && options.help);
    options_free(&options);

    harness_case(h, "the parser accepts a later choice of the contract");
    harness_is(
        h, test_parse("--operations bcast --sizes 8 --output f --scheme round-time", storage, &options, &fault) == 0);
    options_free(&options);
}

static void test_sizes_are(struct harness *h, const char *text, const int64_t *expected, size_t count)
{
    struct sizes sizes;
    struct fault fault = {0};
    harness_case(h, text);
    harness_is(h, sizes_parse(text, &sizes, &fault) == 0);
    harness_is(h, sizes.count == count);
    for (size_t i = 0; i < count && i < sizes.count; i++)
        harness_is(h, sizes.bytes[i] == expected[i]);
    sizes_free(&sizes);
}

static void test_sizes(struct harness *h)
{
    test_sizes_are(h, "0,8,64B,1KiB,2MiB,1GiB", (int64_t[]){0, 8, 64, 1024, 2097152, 1073741824}, 6);
    test_sizes_are(h, "8:64:x2", (int64_t[]){8, 16, 32, 64}, 4);
    test_sizes_are(h, "8:100:x3", (int64_t[]){8, 24, 72}, 3);
    test_sizes_are(h, "0:1KiB:+512", (int64_t[]){0, 512, 1024}, 3);
    test_sizes_are(h, "5:5:+1", (int64_t[]){5}, 1);
    test_sizes_are(h, "4611686018427387904:9223372036854775807:x2", (int64_t[]){INT64_C(1) << 62}, 1);

    static const char *const bad[] = {"",
                                      ",",
                                      "8,,16",
                                      "8,8",
                                      "1024,1KiB",
                                      "8KB",
                                      "8 ",
                                      "1.5KiB",
                                      "+8",
                                      "8:16",
                                      "8:16:2",
                                      "8:16:x",
                                      "8:16:x1",
                                      "8:16:x0",
                                      "0:16:x2",
                                      "16:8:x2",
                                      "8:16:+0",
                                      "8:16:+",
                                      "8:16:-1",
                                      "8:16:x-2",
                                      "8:16:x2:1",
                                      ":16:x2",
                                      "8::x2",
                                      "9223372036854775808",
                                      "9007199254740993GiB",
                                      "0:1000000:+1",
                                      "8:16:+1x",
                                      "x:16:+1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct sizes sizes;
        struct fault fault = {0};
        harness_case(h, bad[i]);
        harness_is(h, sizes_parse(bad[i], &sizes, &fault) == FAULT_USAGE && strstr(fault.text, "--sizes") != NULL);
        harness_is(h, sizes.bytes == NULL);
    }
}

int main(void)
{
    struct harness h = {0};
    test_bad_lines(&h);
    test_good_lines(&h);
    test_sizes(&h);
    return harness_end(&h, "test_options");
}
