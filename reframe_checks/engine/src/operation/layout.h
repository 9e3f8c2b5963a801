/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h: the number of elements from one process to another, and the neighbours in a topology. */
#ifndef ISOCHRON_LAYOUT_H
#define ISOCHRON_LAYOUT_H

#include "operation/operation.h"

#include <stdint.h>

/* The part of a case that is the same on all processes. */
struct layout {
    const struct operation *operation;
    bool unbalanced, graph; /* from --counts and --topology */
    int size;
    int64_t count; /* elements of a mean block */
};

/* Return the elements of the block from source to destination. Unbalanced: block k of n has 2 k / (n - 1) means. */
int64_t layout_elements(const struct layout *layout, int source, int destination);

enum { LAYOUT_REACH = 2 };

/* --topology graph: write the ranks that a process sends to (the next two) or receives from; return their number. */
int layout_graph_peers(int size, int rank, bool sending, int ranks[LAYOUT_REACH]);

/* Return the largest displacement in elements, or count, of a call with arrays of them on any process. */
int64_t layout_farthest(const struct layout *layout);

#endif
