/* SPDX-License-Identifier: BSD-3-Clause */
/* test_relations.c: conditions, forms of values, and the relations between options, processes, operations and sizes.
 */
#include "base/condition.h"
#include "contract/usage.h"
#include "harness.h"
#include "operation/datatype.h"
#include "operation/layout.h"
#include "option_values/arrival.h"
#include "options/command_line.h"
#include "options/relations.h"

#include <limits.h>
#include <string.h>

enum { TEST_ARGUMENTS = 32, TEST_LINE = 1024 };

static struct variable test_variable(const void *from, const char *name)
{
    (void)from;
    if (strcmp(name, "three") == 0)
        return variable_integer(3);
    if (strcmp(name, "largest") == 0)
        return variable_integer(INT64_MAX);
    if (strcmp(name, "colour") == 0)
        return variable_text("green");
    if (strcmp(name, "set") == 0)
        return variable_flag(true);
    return variable_unknown();
}

static enum condition_result test_evaluate(struct condition condition)
{
    const struct variables variables = {test_variable, NULL};
    return condition_evaluate(&condition, &variables);
}

static void test_conditions(struct harness *h)
{
    const enum condition_result yes = CONDITION_HOLDS, no = CONDITION_FAILS, unknown = CONDITION_UNKNOWN;
    harness_case(h, "conditions on numbers");
    harness_is(h, test_evaluate((struct condition){"three", CONDITION_AT_MOST, .number = 3}) == yes);
    harness_is(h, test_evaluate((struct condition){"three", CONDITION_BELOW, .number = 3}) == no);
    harness_is(h, test_evaluate((struct condition){"three", CONDITION_AT_LEAST, .right = "three"}) == yes);
    harness_is(h, test_evaluate((struct condition){"three", CONDITION_AT_MOST, .right = "three", .factor = 0.5}) == no);
    harness_is(h, test_evaluate((struct condition){"three", CONDITION_AT_MOST, .times = "three", .number = 8}) == no);
    harness_is(h, test_evaluate((struct condition){.left = "three", .kind = CONDITION_POWER_OF_TWO}) == no);
    harness_case(h, "numbers as large as there are");
    harness_is(h, test_evaluate((struct condition){"largest", CONDITION_MULTIPLE_OF, .number = 7}) == yes);
    harness_is(h, test_evaluate((struct condition){"largest", CONDITION_MULTIPLE_OF, .number = 2}) == no);
    harness_is(h,
               test_evaluate((struct condition){"largest", CONDITION_AT_MOST, .times = "largest", .number = 1}) == no);
    harness_is(h, test_evaluate((struct condition){"three", CONDITION_AT_MOST, .times = "three", .number = 9}) == yes);
    harness_is(h, test_evaluate((struct condition){"three", CONDITION_AT_LEAST, .times = "three", .number = 10}) == no);
    harness_is(h, test_evaluate((struct condition){"three", CONDITION_BELOW, .times = "three", .number = 10}) == yes);
    harness_case(h, "texts and flags");
    harness_is(h, test_evaluate((struct condition){"colour", CONDITION_IS, .values = {"red", "green"}}) == yes);
    harness_is(h, test_evaluate((struct condition){"colour", CONDITION_IS_NOT, .values = {"red"}}) == yes);
    harness_is(h, test_evaluate((struct condition){"colour", CONDITION_IS_NOT, .values = {"green"}}) == no);
    harness_is(h, test_evaluate((struct condition){.left = "set", .kind = CONDITION_TRUE}) == yes);
    harness_is(h, test_evaluate((struct condition){.left = "set", .kind = CONDITION_FALSE}) == no);
    harness_case(h, "an unknown variable gives an unknown result");
    harness_is(h, test_evaluate((struct condition){"absent", CONDITION_AT_MOST, .number = 1}) == unknown);
    harness_is(h, test_evaluate((struct condition){"three", CONDITION_AT_MOST, .right = "absent"}) == unknown);
}

static void test_explanations(struct harness *h)
{
    const struct variables variables = {test_variable, NULL};
    const struct condition limit = {"three", CONDITION_AT_MOST, .times = "three", .number = 8};
    char line[64], little[8];
    harness_case(h, "a text contains variables, and the limit");
    condition_explain(&limit, &variables, "{colour}: {three} of {limit}, {set}", line, sizeof line);
    harness_is(h, strcmp(line, "green: 3 of 2, true") == 0);
    condition_explain(&limit, &variables, "{largest}{", line, sizeof line);
    harness_is(h, strcmp(line, "9223372036854775807{") == 0);
    harness_case(h, "a text is truncated to the capacity");
    condition_explain(&limit, &variables, "green {colour} green", little, sizeof little);
    harness_is(h, strlen(little) == sizeof little - 1 && strncmp(little, "green g", 7) == 0);
}

static void test_forms(struct harness *h)
{
    struct grammar_value value;
    harness_case(h, "a form is its word and all of its numbers, within their limits");
    harness_is(h, grammar_read(ELEMENT_FORMS, "vector:2:3:5", &value) && value.integers[2] == 5);
    harness_is(h, grammar_variable(&value, "BLOCK").integer == 3 &&
                      grammar_variable(&value, "x").kind == VARIABLE_UNKNOWN);
    harness_is(h, !grammar_read(ELEMENT_FORMS, "vector:2:3", &value) && !grammar_read(ELEMENT_FORMS, "int:2", &value));
    harness_is(h, !grammar_read(ELEMENT_FORMS, "vector:2:3:5:7", &value) && !grammar_read(ELEMENT_FORMS, "v", &value));
    harness_is(h, grammar_read(ARRIVAL_FORMS, "random:9223372036854775807", &value) && value.integers[0] == INT64_MAX);
    harness_is(h, !grammar_read(ARRIVAL_FORMS, "random:", &value) && !grammar_read(ARRIVAL_FORMS, "one-late", &value));
}

/* Operations as in the table. */
static int test_execute(struct call *call)
{
    (void)call;
    return 0;
}

static const struct operation_forms TEST_FORMS[2];

static struct operation test_bcast(void)
{
    return (struct operation){.name = "bcast",
                              .group = "blocking",
                              .shape = OPERATION_VECTOR,
                              .sends = SHARE_BLOCK,
                              .receives = SHARE_BLOCK,
                              .root = ROOT_SENDS,
                              .execute = test_execute};
}

/* Return the error of a line and an operation on a number of processes; an empty text without one. */
static const char *test_usage(const char *line, struct operation operation, int processes, struct fault *fault)
{
    char storage[TEST_LINE], *argv[TEST_ARGUMENTS] = {"engine", "--check-options", "--operations", "x"}, *rest = NULL;
    int argc = 4;
    struct options options;
    const struct operation_list list = {&operation, 1};
    *fault = (struct fault){0};
    strncpy(storage, line, sizeof storage - 1);
    storage[sizeof storage - 1] = '\0';
    for (char *argument = strtok_r(storage, " ", &rest); argument != NULL && argc < TEST_ARGUMENTS;
         argument = strtok_r(NULL, " ", &rest))
        argv[argc++] = argument;
    if (options_parse(argc, argv, &options, fault) == 0)
        usage_check(&options, &list, processes, fault);
    options_free(&options);
    return fault->text;
}

static void test_cases(struct harness *h)
{
    struct fault fault;
    struct operation reduce = test_bcast(), blocks = test_bcast(), bcast = test_bcast();
    reduce.reduces = REDUCES_ALL;
    blocks.shape = OPERATION_BLOCKS;
    blocks.root = ROOT_NONE;
    harness_case(h, "sizes, elements and limits of a case");
    harness_is(h, *test_usage("--sizes 8,6", bcast, 2, &fault) == '\0');
    harness_is(h, strstr(test_usage("--in-place", reduce, 2, &fault), "--sizes is missing") == NULL);
    harness_is(h, strstr(test_usage("--root 0", bcast, 2, &fault), "--sizes is missing; bcast") != NULL);
    harness_is(h, strstr(test_usage("--sizes 8,6 --datatype float", bcast, 2, &fault), "6 bytes is not a multiple") !=
                      NULL);
    harness_is(h,
               strstr(test_usage("--sizes 8 --datatype byte", reduce, 2, &fault), "cannot be reduced by sum") != NULL);
    harness_is(h, *test_usage("--sizes 6", reduce, 2, &fault) == '\0');
    harness_is(h, *test_usage("--sizes 2147483647", bcast, 9, &fault) == '\0');
    harness_is(h, strstr(test_usage("--sizes 2GiB", bcast, 9, &fault), "at most 2147483647") != NULL);
    harness_is(h, strstr(test_usage("--sizes 1GiB", blocks, 3, &fault), "at most 715827882") != NULL);
    harness_is(h, *test_usage("--sizes 1GiB", blocks, 0, &fault) == '\0');
    harness_case(h, "with large counts a pebibyte in all, whatever the operation; nothing overflows on the way");
    blocks.forms = bcast.forms = TEST_FORMS;
    harness_is(h, *test_usage("--large-counts --sizes 1125899906842624", bcast, 1, &fault) == '\0');
    harness_is(h, strstr(test_usage("--large-counts --sizes 2305843009213693952", bcast, 2, &fault),
                         "at most 562949953421312") != NULL);
    blocks.varied = true;
    harness_is(
        h, strstr(test_usage("--large-counts --counts unbalanced --sizes 9223372036854775807", blocks, 8192, &fault),
                  "at most 137438953472") != NULL);
    blocks.typed = true;
    harness_is(h, strstr(test_usage("--sizes 2147483647 --datatype vector:2:1:8388608", blocks, 1, &fault),
                         "not a multiple") != NULL);
    harness_is(h, strstr(test_usage("--sizes 2147483646 --datatype vector:2:1:8388608", blocks, 1, &fault),
                         "displacements beyond an int") != NULL);
    harness_case(h, "processes and roots");
    harness_is(h, strstr(test_usage("--sizes 8 --root 2", bcast, 2, &fault), "give 0 to 1") != NULL);
    harness_is(h, *test_usage("--sizes 8 --root 2", bcast, 0, &fault) == '\0');
    harness_is(h, strstr(test_usage("--sizes 8 --group-size 3", bcast, 2, &fault), "exceeds the 2") != NULL);
    harness_is(h, strstr(test_usage("--sizes 8 --scheme rotating-root", blocks, 2, &fault), "has no root") != NULL);
    harness_is(h, *test_usage("--sizes 8 --scheme rotating-root", bcast, 2, &fault) == '\0');
    harness_is(h, strstr(test_usage("--sizes 8 --scheme loop --overlap", bcast, 2, &fault), "--overlap") != NULL);
    harness_is(h, *test_usage("--sizes 8 --scheme round-time --time-budget 2", bcast, 2, &fault) == '\0');
    harness_case(h, "sizes are not checked for what is not supported");
    harness_is(h, *test_usage("--sizes 6 --datatype float --in-place", bcast, 2, &fault) == '\0');
}

static void test_displacements(struct harness *h)
{
    struct operation vector = test_bcast();
    vector.sends = vector.receives = SHARE_EACH;
    vector.root = ROOT_NONE;
    vector.varied = true;
    harness_case(h, "the last displacement: balanced, unbalanced, of neighbours");
    harness_is(h, layout_farthest(&(struct layout){&vector, false, false, 4, 10}) == 30);
    harness_is(h, layout_farthest(&(struct layout){&vector, true, false, 4, 9}) == 36);
    harness_is(h, layout_farthest(&(struct layout){&vector, true, false, 1, 9}) == 9);
    vector.sends = vector.receives = SHARE_PEERS;
    harness_is(h, layout_farthest(&(struct layout){&vector, false, false, 4, 10}) == 30);
    harness_is(h, layout_farthest(&(struct layout){&vector, false, true, 4, 10}) == 10);
    harness_is(h, layout_farthest(&(struct layout){&vector, false, true, 1, 10}) == 0);
}

static void test_relation_table(struct harness *h)
{
    size_t count = 0;
    const struct relation *const relations = relation_table(&count);
    harness_case(h, "every relation has a unique name and a text");
    for (size_t i = 0; i < count; i++) {
        harness_is(h, relations[i].require.kind != CONDITION_NONE && relations[i].text != NULL);
        for (size_t j = 0; j < i; j++)
            harness_is(h, strcmp(relations[i].name, relations[j].name) != 0);
    }
}

int main(void)
{
    struct harness h = {0};
    test_conditions(&h);
    test_explanations(&h);
    test_forms(&h);
    test_cases(&h);
    test_displacements(&h);
    test_relation_table(&h);
    return harness_end(&h, "test_relations");
}
