/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_look.c: what the kernel says of this process's memory (see memory.h; proc(5) for the words). */
#include "memory/memory_look.h"

#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

/* A line of a file in /proc/self that counts for a figure. */
struct memory_source {
    const char *key;
    enum memory_figure figure;
};

static const struct memory_source MEMORY_ROLLUP[] = {
    {"Pss:", MEMORY_PSS},
    {"Private_Clean:", MEMORY_PRIVATE},
    {"Private_Dirty:", MEMORY_PRIVATE},
    {"Rss:", MEMORY_RSS},
    {"Pss_Shmem:", MEMORY_SHARED},
    {"AnonHugePages:", MEMORY_HUGE},
    {"ShmemPmdMapped:", MEMORY_HUGE},
    {"Shared_Hugetlb:", MEMORY_HUGE},
    {"Private_Hugetlb:", MEMORY_HUGE},
    {NULL, MEMORY_FIGURES},
};

static const struct memory_source MEMORY_STATUS[] = {
    {"VmLck:", MEMORY_LOCKED},
    {"VmPin:", MEMORY_PINNED},
    {NULL, MEMORY_FIGURES},
};

/* Adds up the lines "Key: N kB" that sources name. */
static void memory_read(const char *path, const struct memory_source *sources, int64_t *figures)
{
    FILE *const file = fopen(path, "r");
    char line[256];
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        char key[64];
        long long kibibytes = 0;
        if (sscanf(line, "%63s %lld kB", key, &kibibytes) != 2)
            continue;
        for (const struct memory_source *source = sources; source->key != NULL; source++) {
            int64_t *const figure = &figures[source->figure];
            if (strcmp(source->key, key) == 0)
                *figure = (*figure < 0 ? 0 : *figure) + kibibytes * 1024;
        }
    }
    fclose(file);
}

void memory_look(struct memory *memory, enum memory_step step)
{
    int64_t *const figures = memory->seen[step];
    struct statvfs disk;
    for (int figure = 0; figure < MEMORY_FIGURES; figure++)
        figures[figure] = -1;
    memory_read("/proc/self/smaps_rollup", MEMORY_ROLLUP, figures);
    memory_read("/proc/self/status", MEMORY_STATUS, figures);
    if (statvfs("/dev/shm", &disk) == 0)
        figures[MEMORY_DEV_SHM] = (int64_t)((disk.f_blocks - disk.f_bfree) * disk.f_frsize);
}
