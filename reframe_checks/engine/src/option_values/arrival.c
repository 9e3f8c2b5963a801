/* SPDX-License-Identifier: BSD-3-Clause */
/* arrival.c: the table of arrival patterns (see arrival.h). */
#include "option_values/arrival.h"

#include "base/random.h"

static int64_t arrival_ascending(const struct arrival *arrival, int rank, int size)
{
    return size < 2 ? 0 : arrival->spread_ns * rank / (size - 1);
}

static int64_t arrival_descending(const struct arrival *arrival, int rank, int size)
{
    return arrival_ascending(arrival, size - 1 - rank, size);
}

/* Uniform; the offset of a rank depends on the seed and the rank alone. */
static int64_t arrival_random(const struct arrival *arrival, int rank, int size)
{
    (void)size;
    uint64_t state = arrival->seed ^ ((uint64_t)rank << 32);
    random_next(&state);
    return (int64_t)random_below(&state, (uint64_t)arrival->spread_ns + 1);
}

/* The last rank, which is seldom a root. */
static int64_t arrival_one_late(const struct arrival *arrival, int rank, int size)
{
    return rank == size - 1 ? arrival->spread_ns : 0;
}

static int64_t arrival_none(const struct arrival *arrival, int rank, int size)
{
    (void)arrival;
    (void)rank;
    (void)size;
    return 0;
}

const struct grammar_form ARRIVAL_FORMS[] = {
    [ARRIVAL_NONE] = {.name = "none"},
    [ARRIVAL_ASCENDING] = {.name = "ascending"},
    [ARRIVAL_DESCENDING] = {.name = "descending"},
    [ARRIVAL_RANDOM] = {.name = "random", .kind = GRAMMAR_TUPLE, .numbers = {{"SEED", true, 0, GRAMMAR_MAX_INTEGER}}},
    [ARRIVAL_ONE_LATE] = {.name = "one-late", .kind = GRAMMAR_TUPLE, .numbers = {{"US", false, 0, 1e9}}},
    {.name = NULL},
};

static int64_t (*const ARRIVAL_OFFSETS[])(const struct arrival *arrival, int rank, int size) = {
    [ARRIVAL_NONE] = arrival_none,
    [ARRIVAL_ASCENDING] = arrival_ascending,
    [ARRIVAL_DESCENDING] = arrival_descending,
    [ARRIVAL_RANDOM] = arrival_random,
    [ARRIVAL_ONE_LATE] = arrival_one_late,
};

int arrival_parse(const char *text, double spread_us, struct arrival *arrival, struct fault *fault)
{
    struct grammar_value value;
    *arrival = (struct arrival){.kind = ARRIVAL_NONE};
    if (!grammar_read(ARRIVAL_FORMS, text, &value))
        return fault_set(fault, FAULT_USAGE,
                         "--arrival '%.100s': give none, ascending, descending, random:SEED or one-late:US", text);
    arrival->kind = (enum arrival_kind)(value.form - ARRIVAL_FORMS);
    if (arrival->kind == ARRIVAL_RANDOM)
        arrival->seed = (uint64_t)value.integers[0];
    if (arrival->kind == ARRIVAL_ONE_LATE)
        spread_us = value.reals[0];
    if (arrival->kind != ARRIVAL_NONE)
        arrival->spread_ns = (int64_t)(spread_us * 1e3);
    return 0;
}

bool arrival_is_none(const struct arrival *arrival)
{
    return arrival->kind == ARRIVAL_NONE;
}

int64_t arrival_offset(const struct arrival *arrival, int rank, int size)
{
    return ARRIVAL_OFFSETS[arrival->kind](arrival, rank, size);
}
