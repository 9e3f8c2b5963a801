/* SPDX-License-Identifier: BSD-3-Clause */
/* processors.c: divides the processors of a host among threads (see processors.h). */
#include "threads/processors.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void processors_add(struct processors *set, int processor)
{
    set->words[processor / 64] |= UINT64_C(1) << (processor % 64);
}

static bool processors_has(const struct processors *set, int processor)
{
    return (set->words[processor / 64] >> (processor % 64) & 1) != 0;
}

void processors_read(struct processors *set)
{
    cpu_set_t *const mask = affinity_read();
    *set = (struct processors){0};
    for (int processor = 0; mask != NULL && processor < PROCESSORS_MAX; processor++)
        if (affinity_has(mask, processor))
            processors_add(set, processor);
    CPU_FREE(mask);
}

int processors_core(int processor)
{
    char path[96];
    int lowest = processor;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", processor);
    FILE *const file = fopen(path, "r");
    if (file == NULL)
        return processor;
    if (fscanf(file, "%d", &lowest) != 1)
        lowest = processor;
    fclose(file);
    return lowest;
}

static bool processors_overlap(const struct processors *a, const struct processors *b)
{
    uint64_t both = 0;
    for (int i = 0; i < PROCESSORS_WORDS; i++)
        both |= a->words[i] & b->words[i];
    return both != 0;
}

/* A processor of a set, and how many hardware threads of its core come before it there. */
struct processors_place {
    int turn;
    int processor;
};

static int processors_compare(const void *a, const void *b)
{
    const struct processors_place *const left = a, *const right = b;
    return left->turn != right->turn ? left->turn - right->turn : left->processor - right->processor;
}

/* List the processors of a set, the first hardware thread of every core before the second ones; return their number. */
static int processors_list(const struct processors *set, int (*core)(int processor), struct processors_place *places)
{
    int *const used = calloc(PROCESSORS_MAX, sizeof *used); /* hardware threads of each core so far */
    int count = 0;
    for (int processor = 0; used != NULL && processor < PROCESSORS_MAX; processor++) {
        if (!processors_has(set, processor))
            continue;
        const int of_core = core(processor);
        const bool known = of_core >= 0 && of_core < PROCESSORS_MAX;
        places[count++] = (struct processors_place){known ? used[of_core]++ : 0, processor};
    }
    free(used);
    qsort(places, (size_t)count, sizeof *places, processors_compare);
    return count;
}

int processors_divide(const struct processors *sets, int count, int index, int threads, int (*core)(int processor),
                      int *chosen)
{
    int sharing = 0, before = 0;
    for (int other = 0; other < count; other++) {
        if (!processors_overlap(&sets[index], &sets[other]))
            continue;
        if (memcmp(&sets[index], &sets[other], sizeof *sets) != 0)
            return 0;
        before += other < index;
        sharing++;
    }
    struct processors_place *const places = calloc(PROCESSORS_MAX, sizeof *places);
    const int available = places == NULL ? 0 : processors_list(&sets[index], core, places);
    const bool enough = sharing > 0 && (int64_t)sharing * threads <= available;
    for (int thread = 0; enough && thread < threads; thread++)
        chosen[thread] = places[before * threads + thread].processor;
    free(places);
    return enough ? threads : 0;
}
