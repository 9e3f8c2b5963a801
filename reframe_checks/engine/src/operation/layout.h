/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h: how many elements go from one process to another, and who the neighbours in a topology are. */
#ifndef ISOCHRON_LAYOUT_H
#define ISOCHRON_LAYOUT_H

#include "operation/operation.h"

#include <stdint.h>

/* What all processes know of a case. */
struct layout {
    const struct operation *operation;
    bool unbalanced, graph; /* as --counts and --topology say */
    int size;
    int64_t count; /* elements of a mean block */
};

/* Elements of the block from source to destination. Unbalanced: block k of n has 2 k / (n - 1) times the mean. */
int64_t layout_elements(const struct layout *layout, int source, int destination);

enum { LAYOUT_REACH = 2 };

/* --topology graph: the ranks that a process sends to, or receives from: the next two, or those before; how many. */
int layout_graph_peers(int size, int rank, bool sending, int ranks[LAYOUT_REACH]);

/* The largest displacement in elements, or count, that a call with arrays of them needs on any process. */
int64_t layout_farthest(const struct layout *layout);

#endif
