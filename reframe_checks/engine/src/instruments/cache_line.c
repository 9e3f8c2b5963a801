/* SPDX-License-Identifier: BSD-3-Clause */
/* cache_line.c: a ping-pong of one cache line through shared memory (see cache_line.h). */
#include "instruments/cache_line.h"

#include "instruments/moment.h"
#include "statistics/statistics.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    CACHE_LINE_GROUPS = 5,
    CACHE_LINE_TRIPS = 4,  /* round trips of a group */
    CACHE_LINE_SPINS = 64, /* readings of the line for one of the clock */
    CACHE_LINE_STEPS = 2 * CACHE_LINE_TRIPS * CACHE_LINE_GROUPS + 2,
    CACHE_LINE_BYTES = 4096,
};

/* Map an open file as shared memory and close it; NULL if that fails. */
static _Atomic uint64_t *cache_line_map(int file)
{
    void *const memory = mmap(NULL, CACHE_LINE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

void cache_line_create(struct cache_line *line, char name[CACHE_LINE_NAME])
{
    *line = (struct cache_line){.first = true};
    snprintf(name, CACHE_LINE_NAME, "/dev/shm/isochron-XXXXXX");
    const int file = mkstemp(name);
    if (file >= 0 && posix_fallocate(file, 0, CACHE_LINE_BYTES) == 0)
        line->value = cache_line_map(file);
    else if (file >= 0)
        close(file);
    if (file >= 0 && line->value == NULL)
        unlink(name);
    if (line->value == NULL)
        name[0] = '\0';
}

void cache_line_join(struct cache_line *line, const char *name)
{
    *line = (struct cache_line){.first = false};
    const int file = name[0] == '\0' ? -1 : open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file >= 0)
        line->value = cache_line_map(file);
}

void cache_line_unname(const char *name)
{
    if (name[0] != '\0')
        unlink(name);
}

void cache_line_close(struct cache_line *line)
{
    if (line->value != NULL)
        munmap(line->value, CACHE_LINE_BYTES);
    *line = (struct cache_line){0};
}

/* Wait until the line has the expected value, at most until until_ns; return true if it has. */
static bool cache_line_await(const struct cache_line *line, uint64_t expected, int64_t until_ns)
{
    do {
        for (int spin = 0; spin < CACHE_LINE_SPINS; spin++)
            if (atomic_load_explicit(line->value, memory_order_acquire) == expected)
                return true;
    } while (moment_now() < until_ns);
    return false;
}

/* One round trip: the first process writes and waits, the other waits and writes. Steps increase within a reading. */
static bool cache_line_trip(const struct cache_line *line, uint64_t step, int64_t until_ns)
{
    if (line->first)
        atomic_store_explicit(line->value, step, memory_order_release);
    if (!cache_line_await(line, line->first ? step + 1 : step, until_ns))
        return false;
    if (!line->first)
        atomic_store_explicit(line->value, step + 1, memory_order_release);
    return true;
}

double cache_line_read(const struct cache_line *line, uint64_t number, int64_t patience_ns)
{
    double groups[CACHE_LINE_GROUPS];
    if (line->value == NULL)
        return NAN;
    uint64_t step = number * CACHE_LINE_STEPS + 1;
    int64_t begin_ns = moment_now();
    if (!cache_line_trip(line, step, begin_ns + patience_ns)) /* both have arrived */
        return NAN;
    begin_ns = moment_now();
    const int64_t until_ns = begin_ns + patience_ns;
    for (int group = 0; group < CACHE_LINE_GROUPS; group++) {
        for (int trip = 0; trip < CACHE_LINE_TRIPS; trip++)
            if (!cache_line_trip(line, step += 2, until_ns))
                return NAN;
        const int64_t end_ns = moment_now();
        groups[group] = (double)(end_ns - begin_ns) / CACHE_LINE_TRIPS;
        begin_ns = end_ns;
    }
    return statistics_median(groups, CACHE_LINE_GROUPS);
}
