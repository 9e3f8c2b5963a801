/* SPDX-License-Identifier: BSD-3-Clause */
/* test_conditions.c: arrival patterns, rank orders and groups. */
#include "harness.h"
#include "option_values/arrival.h"
#include "option_values/groups.h"
#include "option_values/rank_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEST_RANKS = 5 };

static void test_arrival_is(struct harness *h, const char *argument, const int64_t expected[TEST_RANKS])
{
    struct arrival arrival;
    struct fault fault = {0};
    harness_case(h, argument);
    harness_is(h, arrival_parse(argument, 100.0, &arrival, &fault) == 0);
    for (int rank = 0; rank < TEST_RANKS; rank++)
        harness_is(h, arrival_offset(&arrival, rank, TEST_RANKS) == expected[rank]);
    harness_is(h, arrival_offset(&arrival, 0, 1) >= 0);
}

static void test_arrivals(struct harness *h)
{
    test_arrival_is(h, "none", (int64_t[]){0, 0, 0, 0, 0});
    test_arrival_is(h, "ascending", (int64_t[]){0, 25000, 50000, 75000, 100000});
    test_arrival_is(h, "descending", (int64_t[]){100000, 75000, 50000, 25000, 0});
    test_arrival_is(h, "one-late:7.5", (int64_t[]){0, 0, 0, 0, 7500});

    harness_case(h, "random arrivals are spread, and the same for one seed only");
    struct arrival one, two;
    struct fault fault = {0};
    harness_is(h, arrival_parse("random:1", 100.0, &one, &fault) == 0);
    harness_is(h, arrival_parse("random:2", 100.0, &two, &fault) == 0);
    int low = 0, high = 0, same = 0;
    for (int rank = 0; rank < 1000; rank++) {
        const int64_t offset = arrival_offset(&one, rank, 1000);
        harness_is(h, offset >= 0 && offset <= one.spread_ns);
        harness_is(h, offset == arrival_offset(&one, rank, 1000));
        low += offset < 20000;
        high += offset > 80000;
        same += offset == arrival_offset(&two, rank, 1000);
    }
    harness_is(h, low > 150 && low < 250 && high > 150 && high < 250 && same < 5);
}

/* Return true if process lists every rank once. */
static bool test_is_order(const int64_t *process, int size)
{
    for (int rank = 0; rank < size; rank++) {
        int count = 0;
        for (int i = 0; i < size; i++)
            count += process[i] == rank;
        if (count != 1)
            return false;
    }
    return true;
}

static int test_fill(const char *argument, int64_t process[TEST_RANKS])
{
    struct rank_order order;
    struct fault fault = {0};
    if (rank_order_parse(argument, &order, &fault) == 0)
        rank_order_fill(&order, process, TEST_RANKS, &fault);
    return (int)fault.code;
}

static void test_orders(struct harness *h)
{
    int64_t process[TEST_RANKS], other[TEST_RANKS];
    harness_case(h, "identity and reverse");
    harness_is(h, test_fill("identity", process) == 0 && process[0] == 0 && process[4] == 4);
    harness_is(h, test_fill("reverse", process) == 0 && process[0] == 4 && process[4] == 0);
    harness_case(h, "a random order is an order, and the same for one seed");
    harness_is(h, test_fill("random:7", process) == 0 && test_is_order(process, TEST_RANKS));
    harness_is(h, test_fill("random:7", other) == 0 && memcmp(process, other, sizeof other) == 0);
    harness_is(h, test_fill("random:8", other) == 0 && memcmp(process, other, sizeof other) != 0);
}

static void test_list_is(struct harness *h, const char *text, int code)
{
    char path[] = "/tmp/isochron-order-XXXXXX";
    char argument[64];
    int64_t process[TEST_RANKS];
    const int descriptor = mkstemp(path);
    harness_case(h, text);
    harness_is(h, descriptor >= 0 && write(descriptor, text, strlen(text)) == (ssize_t)strlen(text));
    snprintf(argument, sizeof argument, "list:%s", path);
    harness_is(h, test_fill(argument, process) == code);
    if (code == 0)
        harness_is(h, process[0] == 4 && process[1] == 2 && test_is_order(process, TEST_RANKS));
    close(descriptor);
    unlink(path);
}

static void test_groups_are(struct harness *h, const char *argument, const int expected[TEST_RANKS],
                            struct groups_shape shape)
{
    struct groups groups;
    struct fault fault = {0};
    harness_case(h, argument);
    harness_is(h, groups_parse(argument, &groups, &fault) == 0);
    for (int rank = 0; rank < TEST_RANKS; rank++)
        harness_is(h, groups_of(&groups, rank, TEST_RANKS) == expected[rank]);
    const struct groups_shape actual = groups_shape(&groups, TEST_RANKS);
    harness_is(h, actual.count == shape.count && actual.smallest == shape.smallest && actual.active == shape.active);
}

static void test_groups(struct harness *h)
{
    test_groups_are(h, "all", (int[]){0, 0, 0, 0, 0}, (struct groups_shape){1, 5, 5});
    test_groups_are(h, "halves", (int[]){0, 0, 0, 1, 1}, (struct groups_shape){2, 2, 5});
    test_groups_are(h, "strided:3", (int[]){0, 1, 2, 0, 1}, (struct groups_shape){3, 1, 5});
    test_groups_are(h, "size:2", (int[]){0, 0, 1, 1, GROUPS_IDLE}, (struct groups_shape){2, 2, 4});
    test_groups_are(h, "active:2", (int[]){0, 0, GROUPS_IDLE, GROUPS_IDLE, GROUPS_IDLE},
                    (struct groups_shape){1, 2, 2});
    static const char *const too_few[] = {"strided:6", "size:6", "active:6"};
    for (size_t i = 0; i < sizeof too_few / sizeof *too_few; i++) {
        struct groups groups;
        struct fault fault = {0};
        harness_case(h, too_few[i]);
        harness_is(h, groups_parse(too_few[i], &groups, &fault) == 0);
        harness_is(h, groups_shape(&groups, TEST_RANKS).smallest == 0);
    }
    static const char *const bad[] = {"half",      "halves:2",          "size", "size:0", "size:x",
                                      "active:-1", "strided:2147483648"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct groups groups;
        struct fault fault = {0};
        harness_case(h, bad[i]);
        harness_is(h, groups_parse(bad[i], &groups, &fault) == FAULT_USAGE);
    }
}

int main(void)
{
    struct harness h = {0};
    test_arrivals(&h);
    test_orders(&h);
    test_groups(&h);
    test_list_is(&h, "4 2 0\n1\t3\n", 0);
    static const char *const bad[] = {"4 2 0 1",
                                      "4 2 0 1 3 3",
                                      "4 2 0 1 1",
                                      "4 2 0 1 5",
                                      "4 2 0 1 -3",
                                      "4 2 0 1 x",
                                      "4 2 0 1 0000000000000000000000003",
                                      ""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        test_list_is(&h, bad[i], FAULT_USAGE);
    return harness_end(&h, "test_conditions");
}
