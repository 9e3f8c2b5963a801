/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counting.c: counts what the engine allocates in the simulator; a library that is loaded before that of SimGrid.
 *
 * smpicc turns the allocations of a program into calls of these names. Large buffers of operations come from
 * smpi_shared_malloc and are not counted. At exit it prints "engine-heap PEAK" in bytes, of all simulated ranks together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before each block; that of a buffer has size 0. */
struct counting_tag {
    size_t magic;
    size_t size;
};

static const size_t COUNTING_MAGIC = 0x15c4a0c0b5e55edu;
static size_t counting_now;
static size_t counting_peak;

static void *counting_take(size_t size, size_t counted)
{
    struct counting_tag *const tag = calloc(1, sizeof *tag + size);
    if (tag == NULL)
        return NULL;
    *tag = (struct counting_tag){COUNTING_MAGIC, counted};
    counting_now += counted;
    counting_peak = counting_now > counting_peak ? counting_now : counting_peak;
    return tag + 1;
}

static void *counting_new(size_t size)
{
    return counting_take(size, size);
}

void *smpi_shared_malloc(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return counting_take(size, 0);
}

void *smpi_shared_malloc_intercept(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return counting_new(size);
}

void *smpi_shared_calloc_intercept(size_t count, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return counting_new(count * size);
}

void smpi_shared_free(void *memory)
{
    struct counting_tag *const tag = (struct counting_tag *)memory - 1;
    if (memory == NULL || tag->magic != COUNTING_MAGIC) {
        free(memory);
        return;
    }
    counting_now -= tag->size;
    tag->magic = 0;
    free(tag);
}

void *smpi_shared_realloc_intercept(void *memory, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    void *const room = counting_new(size);
    if (memory != NULL && room != NULL) {
        const size_t before = ((struct counting_tag *)memory - 1)->size;
        memcpy(room, memory, before < size ? before : size);
        smpi_shared_free(memory);
    }
    return room;
}

__attribute__((destructor)) static void counting_print(void)
{
    fprintf(stderr, "engine-heap %zu\n", counting_peak);
}
