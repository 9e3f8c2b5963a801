/* SPDX-License-Identifier: BSD-3-Clause */
/* test_relations.c: conditions, forms of values, and what options, processes, operations and sizes ask of each other.
 */
#include "base/condition.h"
#include "harness.h"
#include "operation/datatype.h"
#include "operation/layout.h"
#include "options/option_parse.h"
#include "options/relation_table.h"
#include "usage/usage.h"
#include "words/arrival.h"

#include <limits.h>
#include <string.h>

enum { TEST_WORDS = 32, TEST_LINE = 1024 };

static struct fact test_fact(const void *from, const char *name)
{
    (void)from;
    if (strcmp(name, "three") == 0)
        return fact_integer(3);
    if (strcmp(name, "largest") == 0)
        return fact_integer(INT64_MAX);
    if (strcmp(name, "colour") == 0)
        return fact_word("green");
    if (strcmp(name, "set") == 0)
        return fact_flag(true);
    return fact_unknown();
}

static enum condition_answer test_ask(struct condition condition)
{
    const struct facts facts = {test_fact, NULL};
    return condition_ask(&condition, &facts);
}

static void test_conditions(struct harness *h)
{
    const enum condition_answer yes = CONDITION_HOLDS, no = CONDITION_FAILS, unknown = CONDITION_UNKNOWN;
    harness_case(h, "conditions on numbers");
    harness_is(h, test_ask((struct condition){"three", CONDITION_AT_MOST, .number = 3}) == yes);
    harness_is(h, test_ask((struct condition){"three", CONDITION_BELOW, .number = 3}) == no);
    harness_is(h, test_ask((struct condition){"three", CONDITION_AT_LEAST, .right = "three"}) == yes);
    harness_is(h, test_ask((struct condition){"three", CONDITION_AT_MOST, .right = "three", .factor = 0.5}) == no);
    harness_is(h, test_ask((struct condition){"three", CONDITION_AT_MOST, .times = "three", .number = 8}) == no);
    harness_is(h, test_ask((struct condition){.left = "three", .kind = CONDITION_POWER_OF_TWO}) == no);
    harness_case(h, "numbers as large as there are");
    harness_is(h, test_ask((struct condition){"largest", CONDITION_MULTIPLE_OF, .number = 7}) == yes);
    harness_is(h, test_ask((struct condition){"largest", CONDITION_MULTIPLE_OF, .number = 2}) == no);
    harness_is(h, test_ask((struct condition){"largest", CONDITION_AT_MOST, .times = "largest", .number = 1}) == no);
    harness_is(h, test_ask((struct condition){"three", CONDITION_AT_MOST, .times = "three", .number = 9}) == yes);
    harness_is(h, test_ask((struct condition){"three", CONDITION_AT_LEAST, .times = "three", .number = 10}) == no);
    harness_is(h, test_ask((struct condition){"three", CONDITION_BELOW, .times = "three", .number = 10}) == yes);
    harness_case(h, "words and flags");
    harness_is(h, test_ask((struct condition){"colour", CONDITION_IS, .words = {"red", "green"}}) == yes);
    harness_is(h, test_ask((struct condition){"colour", CONDITION_IS_NOT, .words = {"red"}}) == yes);
    harness_is(h, test_ask((struct condition){"colour", CONDITION_IS_NOT, .words = {"green"}}) == no);
    harness_is(h, test_ask((struct condition){.left = "set", .kind = CONDITION_TRUE}) == yes);
    harness_is(h, test_ask((struct condition){.left = "set", .kind = CONDITION_FALSE}) == no);
    harness_case(h, "what is unknown is neither true nor false");
    harness_is(h, test_ask((struct condition){"absent", CONDITION_AT_MOST, .number = 1}) == unknown);
    harness_is(h, test_ask((struct condition){"three", CONDITION_AT_MOST, .right = "absent"}) == unknown);
}

static void test_explanations(struct harness *h)
{
    const struct facts facts = {test_fact, NULL};
    const struct condition limit = {"three", CONDITION_AT_MOST, .times = "three", .number = 8};
    char line[64], little[8];
    harness_case(h, "a text names facts, and the limit");
    condition_explain(&limit, &facts, "{colour}: {three} of {limit}, {set}", line, sizeof line);
    harness_is(h, strcmp(line, "green: 3 of 2, true") == 0);
    condition_explain(&limit, &facts, "{largest}{", line, sizeof line);
    harness_is(h, strcmp(line, "9223372036854775807{") == 0);
    harness_case(h, "a text is cut where the room is");
    condition_explain(&limit, &facts, "green {colour} green", little, sizeof little);
    harness_is(h, strlen(little) == sizeof little - 1 && strncmp(little, "green g", 7) == 0);
}

static void test_forms(struct harness *h)
{
    struct grammar_value value;
    harness_case(h, "a form is its word and all of its numbers, within their limits");
    harness_is(h, grammar_read(ELEMENT_FORMS, "vector:2:3:5", &value) && value.whole[2] == 5);
    harness_is(h, grammar_fact(&value, "BLOCK").integer == 3 && grammar_fact(&value, "x").kind == FACT_UNKNOWN);
    harness_is(h, !grammar_read(ELEMENT_FORMS, "vector:2:3", &value) && !grammar_read(ELEMENT_FORMS, "int:2", &value));
    harness_is(h, !grammar_read(ELEMENT_FORMS, "vector:2:3:5:7", &value) && !grammar_read(ELEMENT_FORMS, "v", &value));
    harness_is(h, grammar_read(ARRIVAL_FORMS, "random:9223372036854775807", &value) && value.whole[0] == INT64_MAX);
    harness_is(h, !grammar_read(ARRIVAL_FORMS, "random:", &value) && !grammar_read(ARRIVAL_FORMS, "one-late", &value));
}

/* Some operations, as the table would have them. */
static int test_run(struct call *call)
{
    (void)call;
    return 0;
}

static const struct operation_forms TEST_FORMS[2];

static struct operation test_bcast(void)
{
    return (struct operation){.name = "bcast",
                              .shape = OPERATION_VECTOR,
                              .sends = SHARE_BLOCK,
                              .receives = SHARE_BLOCK,
                              .root = ROOT_SENDS,
                              .run = test_run};
}

/* What is wrong with a line and an operation on so many processes; an empty text where nothing is. */
static const char *test_usage(const char *line, struct operation operation, int processes, struct fault *fault)
{
    char storage[TEST_LINE], *argv[TEST_WORDS] = {"engine", "--check-options", "--operations", "x"}, *rest = NULL;
    int argc = 4;
    struct options options;
    const struct operation_list list = {&operation, 1};
    *fault = (struct fault){0};
    strncpy(storage, line, sizeof storage - 1);
    storage[sizeof storage - 1] = '\0';
    for (char *word = strtok_r(storage, " ", &rest); word != NULL && argc < TEST_WORDS;
         word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
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
    harness_is(h, strstr(test_usage("--sizes 8,6 --datatype float", bcast, 2, &fault), "6 bytes are no whole") != NULL);
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
                         "whole number") != NULL);
    harness_is(h, strstr(test_usage("--sizes 2147483646 --datatype vector:2:1:8388608", blocks, 1, &fault),
                         "displacements beyond an int") != NULL);
    harness_case(h, "processes and roots");
    harness_is(h, strstr(test_usage("--sizes 8 --root 2", bcast, 2, &fault), "give 0 to 1") != NULL);
    harness_is(h, *test_usage("--sizes 8 --root 2", bcast, 0, &fault) == '\0');
    harness_is(h, strstr(test_usage("--sizes 8 --group-size 3", bcast, 2, &fault), "there are 2") != NULL);
    harness_is(h, strstr(test_usage("--sizes 8 --scheme rotating-root", blocks, 2, &fault), "has no root") != NULL);
    harness_is(h, *test_usage("--sizes 8 --scheme rotating-root", bcast, 2, &fault) == '\0');
    harness_is(h, strstr(test_usage("--sizes 8 --scheme loop --overlap", bcast, 2, &fault), "--overlap") != NULL);
    harness_is(h, *test_usage("--sizes 8 --scheme round-time --time-budget 2", bcast, 2, &fault) == '\0');
    harness_case(h, "what is not supported is not asked for its sizes");
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
    harness_case(h, "every relation has a name of its own and a text");
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
