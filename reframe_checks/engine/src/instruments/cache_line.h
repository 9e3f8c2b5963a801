/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cache_line.h: how long a cache line takes from one process of a host to another and back.
 *
 * Two processes write in turn to one line of shared memory. The line has a file's name only until both have it: one
 * makes it, the other joins it, then the name is removed. Nobody waits for long: who does not hear from the other in
 * time gives up, and both can meet again in the next reading.
 */
#ifndef ISOCHRON_CACHE_LINE_H
#define ISOCHRON_CACHE_LINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CACHE_LINE_NAME = 64 };

struct cache_line {
    _Atomic uint64_t *word; /* alone on its line; NULL: there is no line */
    bool first;             /* this process begins */
};

/* Makes a line in shared memory, whose name the other process needs; name is empty where that was not possible. */
void cache_line_make(struct cache_line *line, char name[CACHE_LINE_NAME]);

/* Joins a line that the other has made; there is none where that was not possible. */
void cache_line_join(struct cache_line *line, const char *name);

/* Removes the name, when the other has joined or cannot. */
void cache_line_unname(const char *name);

void cache_line_close(struct cache_line *line);

/*
 * Both at about the same time, with the same number, higher in each reading: ns for a round trip, the median of a few
 * groups; NaN where the other has not come, or not answered, within the patience.
 */
double cache_line_read(const struct cache_line *line, uint64_t number, int64_t patience_ns);

#endif
