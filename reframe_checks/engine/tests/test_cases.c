/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cases.c: which kernel the candle has for each operation of the engine, and the order of its cases. */
#include "candle/cases.h"
#include "harness.h"

#include <string.h>

static const char *const NAMES[] = {
#define OPERATION(variable, name, ...) name,
#define HIDDEN(variable, name)
#include "operations/operations.def"
#undef OPERATION
#undef HIDDEN
};

/* List the case of one operation at 8 bytes; false if there is none. */
static bool find(const char *name, struct candle_case *item)
{
    int64_t bytes = 8;
    const struct sizes sizes = {&bytes, 1};
    struct candle_cases cases;
    struct fault fault = {0};
    if (cases_list(name, &sizes, &cases, &fault))
        return false;
    *item = cases.items[0];
    cases_free(&cases);
    return true;
}

static enum kernel kernel_of(const char *name)
{
    struct candle_case item;
    return find(name, &item) ? item.operation.kernel : KERNELS;
}

static void test_operations(struct harness *h)
{
    struct candle_case item;
    harness_case(h, "every operation of the engine has a kernel");
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        harness_is(h, find(NAMES[i], &item) && strcmp(item.operation.name, NAMES[i]) == 0);
    harness_case(h, "the forms of a collective have its kernel");
    harness_is(h, kernel_of("iscatterv") == KERNEL_SCATTER && kernel_of("scatterv_init") == KERNEL_SCATTER);
    harness_is(h, kernel_of("ineighbor_alltoallw") == KERNEL_GRID && kernel_of("iring") == KERNEL_NEIGHBOURS);
    harness_is(h, kernel_of("multi-ping-pong") == KERNEL_PING_PONG_ALL &&
                      kernel_of("multi-exchange") == KERNEL_NEIGHBOURS);
    harness_is(h, find("fan-in", &item) && item.operation.kernel == KERNEL_FAN_IN && item.operation.messages == 64);
    harness_case(h, "forms that the engine does not have are unknown");
    harness_is(h, !find("multi-bcast", &item) && !find("iping-pong", &item) && !find("transfer-1_init", &item));
    harness_case(h, "an operation without a size has its own bytes and a barrier");
    harness_is(h, find("basic-reduce-10", &item) && item.bytes == 0 && cases_bytes(&item) == 40);
    harness_is(h, item.operation.then_barrier && item.operation.messages == 1);
    harness_is(h, find("basic-isend-5", &item) && item.operation.messages == 5 && cases_bytes(&item) == 4);
    harness_is(h, find("bcast", &item) && item.bytes == 8 && cases_bytes(&item) == 8 && !item.operation.then_barrier);
}

static void test_order(struct harness *h)
{
    int64_t bytes[] = {64, 8};
    const struct sizes sizes = {bytes, 2};
    struct candle_cases cases;
    struct fault fault = {0};
    harness_case(h, "operations are in the engine's order, sizes in that of the option");
    harness_is(h, cases_list("ibcast,reduce,barrier", &sizes, &cases, &fault) == 0 && cases.count == 5);
    harness_is(h, strcmp(cases.items[0].operation.name, "barrier") == 0 && cases.items[0].bytes == 0);
    harness_is(h, strcmp(cases.items[1].operation.name, "reduce") == 0 && cases.items[1].bytes == 64);
    harness_is(h, strcmp(cases.items[4].operation.name, "ibcast") == 0 && cases.items[4].bytes == 8);
    cases_free(&cases);
    harness_case(h, "an operation with a datatype has its name, its sizes and the kernel of the operation");
    int64_t more[] = {8, 4096};
    const struct sizes two = {more, 2};
    harness_is(h, cases_list("bcast@indexed,ping-pong@vector-32,bcast", &two, &cases, &fault) == 0 && cases.count == 4);
    harness_is(h, strcmp(cases.items[1].operation.name, "bcast") == 0 && cases.items[1].bytes == 4096);
    harness_is(h, strcmp(cases.items[2].operation.name, "bcast@indexed") == 0 && cases.items[2].bytes == 4096);
    harness_is(h, strcmp(cases.items[3].operation.name, "ping-pong@vector-32") == 0 && cases.items[3].bytes == 4096);
    harness_is(h,
               cases.items[2].operation.kernel == KERNEL_BCAST && cases.items[3].operation.kernel == KERNEL_PING_PONG);
    cases_free(&cases);
    harness_is(h, cases_list("bcast@vector", &two, &cases, &fault) == FAULT_USAGE);
    fault = (struct fault){0};
    harness_case(h, "data without a size, and unknown names, are refused");
    const struct sizes none = {0};
    harness_is(h, cases_list("barrier,bcast", &none, &cases, &fault) == FAULT_USAGE);
    harness_is(h, strcmp(fault.text, "--sizes is missing; write for example 8,1KiB") == 0);
}

int main(void)
{
    struct harness harness = {0};
    test_operations(&harness);
    test_order(&harness);
    return harness_end(&harness, "test_cases");
}
