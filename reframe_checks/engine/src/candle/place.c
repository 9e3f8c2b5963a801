/* SPDX-License-Identifier: BSD-3-Clause */
/* place.c: rank and number of processes from the environment (see place.h). */
#include "candle/place.h"

#include "base/text.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Launchers from the innermost to the outermost, from sites/launchers: processes of mpiexec have the variables of the
 * launcher around it, too. Without a variable for the size, --expect-ranks is the size.
 */
static const struct {
    const char *rank, *size;
} LAUNCHERS[] = {
#include "rank_variables.def"
};

/* Hash text and a separator: FNV-1a (Fowler, Noll, Vo, 1991). */
static uint64_t place_hash(uint64_t hash, const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint64_t place_key(int argc, char **argv)
{
    char folder[PATH_MAX] = "";
    const char *const launch = getenv("PMIX_NAMESPACE");
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < argc; i++)
        hash = place_hash(hash, argv[i]);
    if (getcwd(folder, sizeof folder) != NULL)
        hash = place_hash(hash, folder);
    hash = place_hash(hash, launch == NULL ? "" : launch);
    return hash == 0 ? 1 : hash;
}

/* Read an integer of the environment; -1 if it is not set or not a number. */
static int64_t place_integer(const char *name)
{
    int64_t value = -1;
    const char *const text = name == NULL ? NULL : getenv(name);
    return text != NULL && text_integer(text, &value) ? value : -1;
}

int place_read(int argc, char **argv, int64_t expected, struct place *place, struct fault *fault)
{
    int64_t rank = -1, size = -1;
    *place = (struct place){.size = 1, .key = place_key(argc, argv)};
    for (size_t i = 0; i < sizeof LAUNCHERS / sizeof *LAUNCHERS && size < 0; i++) {
        rank = place_integer(LAUNCHERS[i].rank);
        size = rank < 0 ? -1 : place_integer(LAUNCHERS[i].size);
        if (rank >= 0 && LAUNCHERS[i].size == NULL && (size = expected) == 0)
            return fault_set(fault, FAULT_ENVIRONMENT, "%s is set, but no number of processes; give --expect-ranks",
                             LAUNCHERS[i].rank);
    }
    if (size > 0) {
        if (size > INT_MAX || rank >= size)
            return fault_set(fault, FAULT_ENVIRONMENT, "the launcher's variables make this rank %lld of %lld processes",
                             (long long)rank, (long long)size);
        place->rank = (int)rank;
        place->size = (int)size;
    }
    if (expected > 0 && place->size != expected)
        return fault_set(fault, FAULT_ENVIRONMENT,
                         "--expect-ranks %lld, but the launcher started %d%s; check its number of processes",
                         (long long)expected, place->size,
                         size < 0 ? " (no variable of a launcher that is known here)" : "");
    return 0;
}
