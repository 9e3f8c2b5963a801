/* SPDX-License-Identifier: BSD-3-Clause */
/* rank_order.c: orders of the ranks (see rank_order.h). */
#include "option_values/rank_order.h"

#include "base/random.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const struct grammar_form RANK_ORDER_FORMS[] = {
    [RANK_ORDER_IDENTITY] = {.name = "identity"},
    [RANK_ORDER_REVERSE] = {.name = "reverse"},
    [RANK_ORDER_RANDOM] = {.name = "random",
                           .kind = GRAMMAR_TUPLE,
                           .numbers = {{"SEED", true, 0, GRAMMAR_MAX_INTEGER}}},
    [RANK_ORDER_LIST] = {.name = "list", .kind = GRAMMAR_REST, .numbers = {{.name = "FILE"}}},
    {.name = NULL},
};

int rank_order_parse(const char *text, struct rank_order *order, struct fault *fault)
{
    struct grammar_value value;
    *order = (struct rank_order){.kind = RANK_ORDER_IDENTITY};
    if (!grammar_read(RANK_ORDER_FORMS, text, &value))
        return fault_set(fault, FAULT_USAGE, "--rank-order '%.100s': give identity, reverse, random:SEED or list:FILE",
                         text);
    *order = (struct rank_order){
        .kind = (enum rank_order_kind)(value.form - RANK_ORDER_FORMS),
        .seed = (uint64_t)value.integers[0],
        .file = value.rest,
    };
    return 0;
}

/* R. Durstenfeld: Algorithm 235: random permutation, 1964. */
static void rank_order_shuffle(uint64_t seed, int64_t *process, int size)
{
    uint64_t state = seed;
    for (int i = size - 1; i > 0; i--) {
        const int j = (int)random_below(&state, (uint64_t)i + 1);
        const int64_t saved = process[i];
        process[i] = process[j];
        process[j] = saved;
    }
}

/* Read the list into process; false unless it has every process once. listed has one entry per process. */
static bool rank_order_read(FILE *file, int64_t *process, bool *listed, int size)
{
    char text[24];
    int count = 0;
    while (fscanf(file, "%23s", text) == 1) {
        int64_t rank = -1;
        /* A longer text would be read as two. */
        if (count == size || strlen(text) == sizeof text - 1 || !text_integer(text, &rank) || rank < 0 ||
            rank >= size || listed[rank])
            return false;
        listed[rank] = true;
        process[count++] = rank;
    }
    return count == size;
}

static FILE *rank_order_open(const char *path, struct fault *fault)
{
    struct stat status;
    /* Opening a pipe could block. */
    const bool irregular = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    FILE *const file = irregular ? NULL : fopen(path, "r");
    if (file == NULL)
        fault_set(fault, FAULT_USAGE, "--rank-order: cannot read '%.300s': %s", path,
                  irregular ? "not a regular file" : strerror(errno));
    return file;
}

static int rank_order_load(const char *path, int64_t *process, int size, struct fault *fault)
{
    FILE *const file = rank_order_open(path, fault);
    if (file == NULL)
        return (int)fault->code;
    bool *const listed = calloc((size_t)size, sizeof *listed);
    if (listed == NULL)
        fault_set(fault, FAULT_SYSTEM, "out of memory for the order of %d ranks", size);
    else if (!rank_order_read(file, process, listed, size))
        fault_set(fault, FAULT_USAGE, "--rank-order: '%.300s' does not list 0 to %d once each", path, size - 1);
    free(listed);
    fclose(file);
    return (int)fault->code;
}

int rank_order_fill(const struct rank_order *order, int64_t *process, int size, struct fault *fault)
{
    for (int i = 0; i < size; i++)
        process[i] = order->kind == RANK_ORDER_REVERSE ? size - 1 - i : i;
    if (order->kind == RANK_ORDER_RANDOM)
        rank_order_shuffle(order->seed, process, size);
    return order->kind == RANK_ORDER_LIST ? rank_order_load(order->file, process, size, fault) : 0;
}

int rank_order_check(const struct rank_order *order, int size, struct fault *fault)
{
    if (order->kind != RANK_ORDER_LIST)
        return 0;
    if (size < 1) {
        FILE *const file = rank_order_open(order->file, fault);
        return file == NULL ? (int)fault->code : fclose(file);
    }
    int64_t *const process = calloc((size_t)size, sizeof *process);
    if (process == NULL)
        return fault_set(fault, FAULT_SYSTEM, "out of memory for the order of %d ranks", size);
    rank_order_fill(order, process, size, fault);
    free(process);
    return (int)fault->code;
}
