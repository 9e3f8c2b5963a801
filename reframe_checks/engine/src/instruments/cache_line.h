/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cache_line.h: an instrument: the time of a cache line from one process of a host to another and back.
 *
 * Two processes write in turn to one line of shared memory. Its file has a name only until both processes have opened
 * it: one creates it, the other joins it, then the name is removed. No process blocks: one that receives no answer in
 * time returns without a reading, and both can meet again in the next one.
 */
#ifndef ISOCHRON_CACHE_LINE_H
#define ISOCHRON_CACHE_LINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CACHE_LINE_NAME = 64 };

struct cache_line {
    _Atomic uint64_t *value; /* alone on its line; NULL: there is no line */
    bool first;              /* this process begins */
};

/* Create a line in shared memory, and its name for the other process; the name is empty if that failed. */
void cache_line_create(struct cache_line *line, char name[CACHE_LINE_NAME]);

/* Join the line of the other process; line->value is NULL if that failed. */
void cache_line_join(struct cache_line *line, const char *name);

/* Remove the name, once the other process has joined or failed to. */
void cache_line_unname(const char *name);

void cache_line_close(struct cache_line *line);

/*
 * Return the ns of a round trip, the median of 5 groups; NaN if the other process did not arrive or answer within
 * patience_ns. Both call it at about the same time, with the same number, which increases from reading to reading.
 */
double cache_line_read(const struct cache_line *line, uint64_t number, int64_t patience_ns);

#endif
