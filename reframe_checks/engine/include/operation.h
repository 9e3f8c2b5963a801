/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * operation.h: what can be measured. An operation is one file in src/operations and one line of its table.
 */
#ifndef ISOCHRON_OPERATION_H
#define ISOCHRON_OPERATION_H

#include "call.h"
#include "fault.h"

#include <stdbool.h>
#include <stdio.h>

enum operation_shape {
    OPERATION_NO_DATA, /* measured once, bytes = 0 */
    OPERATION_VECTOR,  /* bytes is one vector */
    OPERATION_BLOCKS   /* bytes is the block of each process: buffers hold up to size blocks */
};

struct operation {
    const char *name;
    const char *group;
    const char *bytes_means;
    enum operation_shape shape;
    bool rooted;
    bool reduces;
    bool hidden;     /* for tests: not listed and not part of "all" */
    bool known_time; /* a self-check: its true time is known */
    /* Sets counts and buffer sizes. */
    int (*prepare)(struct call *call, struct fault *fault);
    /* The timed call itself; returns the MPI result. */
    int (*run)(struct call *call);
    /* For --check: writes known data before a run, and tells after it whether they have arrived. NULL: no data. */
    void (*fill)(struct call *call);
    bool (*check)(const struct call *call);
};

/* The operations that a launch measures, in the order of the table. */
struct operation_list {
    const struct operation **items;
    size_t count;
};

/* Reads names, groups and "all", comma-separated. */
int operation_select(const char *words, struct operation_list *list, struct fault *fault);

void operation_list_free(struct operation_list *list);

/* The table for people. */
void operation_print_table(FILE *stream);

#endif
