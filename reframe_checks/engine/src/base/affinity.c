/* SPDX-License-Identifier: BSD-3-Clause */
/* affinity.c: reads the affinity of this process (see affinity.h). */
#include "base/affinity.h"

#include <stdio.h>
#include <string.h>

void affinity_append_range(char *text, size_t capacity, int first, int last)
{
    const size_t used = strlen(text);
    char range[32];
    if (first == last)
        snprintf(range, sizeof range, "%s%d", used == 0 ? "" : ",", first);
    else
        snprintf(range, sizeof range, "%s%d-%d", used == 0 ? "" : ",", first, last);
    if (used + strlen(range) < capacity)
        memcpy(text + used, range, strlen(range) + 1);
}

cpu_set_t *affinity_read(void)
{
    cpu_set_t *const set = CPU_ALLOC(AFFINITY_CPUS);
    if (set != NULL && sched_getaffinity(0, CPU_ALLOC_SIZE(AFFINITY_CPUS), set) == 0)
        return set;
    CPU_FREE(set);
    return NULL;
}

bool affinity_has(const cpu_set_t *set, int cpu)
{
    return cpu < AFFINITY_CPUS && CPU_ISSET_S((size_t)cpu, CPU_ALLOC_SIZE(AFFINITY_CPUS), set);
}

void affinity_text(char *text, size_t capacity)
{
    cpu_set_t *const set = affinity_read();
    text[0] = '\0';
    for (int cpu = 0; set != NULL && cpu < AFFINITY_CPUS; cpu++) {
        const int first = cpu;
        while (affinity_has(set, cpu))
            cpu++;
        if (cpu > first)
            affinity_append_range(text, capacity, first, cpu - 1);
    }
    CPU_FREE(set);
}

int affinity_count(void)
{
    cpu_set_t *const set = affinity_read();
    const int count = set == NULL ? 1 : CPU_COUNT_S(CPU_ALLOC_SIZE(AFFINITY_CPUS), set);
    CPU_FREE(set);
    return count;
}
