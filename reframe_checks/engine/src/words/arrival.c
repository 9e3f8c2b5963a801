/* SPDX-License-Identifier: BSD-3-Clause */
/* arrival.c: the table of arrival patterns (see arrival.h). */
#include "words/arrival.h"

#include "base/random.h"
#include "base/text.h"

#include <string.h>

struct arrival_kind {
    const char *name; /* with the colon where a number follows */
    enum { ARRIVAL_BARE, ARRIVAL_SEED, ARRIVAL_SPREAD } number;
    int64_t (*offset)(const struct arrival *arrival, int rank, int size);
};

static int64_t arrival_ascending(const struct arrival *arrival, int rank, int size)
{
    return size < 2 ? 0 : arrival->spread_ns * rank / (size - 1);
}

static int64_t arrival_descending(const struct arrival *arrival, int rank, int size)
{
    return arrival_ascending(arrival, size - 1 - rank, size);
}

/* Uniform; a rank's offset depends on the seed and the rank alone. */
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

static int64_t arrival_at_once(const struct arrival *arrival, int rank, int size)
{
    (void)arrival;
    (void)rank;
    (void)size;
    return 0;
}

static const struct arrival_kind ARRIVALS[] = {
    {"none", ARRIVAL_BARE, arrival_at_once},          {"ascending", ARRIVAL_BARE, arrival_ascending},
    {"descending", ARRIVAL_BARE, arrival_descending}, {"random:", ARRIVAL_SEED, arrival_random},
    {"one-late:", ARRIVAL_SPREAD, arrival_one_late},
};

enum { ARRIVAL_COUNT = sizeof ARRIVALS / sizeof ARRIVALS[0] };

static bool arrival_read(const struct arrival_kind *kind, const char *word, struct arrival *arrival)
{
    const size_t length = strlen(kind->name);
    int64_t seed = 0;
    double spread_us = 0.0;
    arrival->kind = kind;
    switch (kind->number) {
    case ARRIVAL_BARE:
        return strcmp(word, kind->name) == 0;
    case ARRIVAL_SEED:
        if (strncmp(word, kind->name, length) != 0 || !text_integer(word + length, &seed) || seed < 0)
            return false;
        arrival->seed = (uint64_t)seed;
        return true;
    case ARRIVAL_SPREAD:
        if (strncmp(word, kind->name, length) != 0 || !text_real(word + length, &spread_us) || spread_us < 0.0 ||
            spread_us > 1e9)
            return false;
        arrival->spread_ns = (int64_t)(spread_us * 1e3);
        return true;
    }
    return false;
}

int arrival_parse(const char *word, double spread_us, struct arrival *arrival, struct fault *fault)
{
    for (size_t i = 0; i < ARRIVAL_COUNT; i++) {
        *arrival = (struct arrival){.spread_ns = (int64_t)(spread_us * 1e3)};
        if (arrival_read(&ARRIVALS[i], word, arrival)) {
            if (arrival_is_none(arrival))
                arrival->spread_ns = 0;
            return 0;
        }
    }
    *arrival = (struct arrival){.kind = &ARRIVALS[0]};
    return fault_set(fault, FAULT_USAGE,
                     "--arrival '%.100s': give none, ascending, descending, random:SEED or one-late:US", word);
}

bool arrival_is_none(const struct arrival *arrival)
{
    return arrival->kind == &ARRIVALS[0];
}

int64_t arrival_offset(const struct arrival *arrival, int rank, int size)
{
    return arrival->kind->offset(arrival, rank, size);
}
