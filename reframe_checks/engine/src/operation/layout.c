/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c: counts and displacements without MPI (see layout.h). */
#include "operation/layout.h"

enum { LAYOUT_GRID_PEERS = 4 };

int64_t layout_elements(const struct layout *layout, int source, int destination)
{
    const struct operation *const operation = layout->operation;
    if (!operation->varied || !layout->unbalanced || layout->size == 1)
        return layout->count;
    const int k = operation->sends == SHARE_BLOCK      ? source
                  : operation->receives == SHARE_BLOCK ? destination
                                                       : (source + destination) % layout->size;
    return 2 * layout->count * k / (layout->size - 1);
}

int layout_graph_peers(int size, int rank, bool sending, int ranks[LAYOUT_REACH])
{
    int count = 0;
    for (int distance = 1; distance <= LAYOUT_REACH && distance < size; distance++)
        ranks[count++] = (rank + (sending ? distance : size - distance)) % size;
    return count;
}

/* The neighbours on the periodic two-dimensional grid that is closest to a square, as from MPI_Dims_create. */
static int layout_grid_peers(int size, int rank, int ranks[LAYOUT_GRID_PEERS])
{
    int columns = 1;
    for (int i = 1; (int64_t)i * i <= size; i++)
        columns = size % i == 0 ? i : columns;
    const int row = rank / columns * columns, column = rank % columns;
    ranks[0] = (rank + size - columns) % size;
    ranks[1] = (rank + columns) % size;
    ranks[2] = row + (column + columns - 1) % columns;
    ranks[3] = row + (column + 1) % columns;
    return LAYOUT_GRID_PEERS;
}

/* Raise *farthest to the block's elements and displacement, and advance *displacement. */
static void layout_add_block(int64_t elements, int64_t *displacement, int64_t *farthest)
{
    const int64_t end = *displacement > elements ? *displacement : elements;
    *farthest = end > *farthest ? end : *farthest;
    *displacement += elements;
}

/* For a process with a block for each peer. */
static int64_t layout_farthest_of_peers(const struct layout *layout, int rank)
{
    int64_t farthest = 0;
    for (int sending = 0; sending < 2; sending++) {
        int ranks[LAYOUT_GRID_PEERS];
        int64_t displacement = 0;
        const int count = layout->graph ? layout_graph_peers(layout->size, rank, sending, ranks)
                                        : layout_grid_peers(layout->size, rank, ranks);
        for (int i = 0; i < count; i++)
            layout_add_block(layout_elements(layout, rank, ranks[i]), &displacement, &farthest);
    }
    return farthest;
}

/*
 * For a process with a block for each process: the sums over all ranks differ by process only by the last block, and
 * that of process 1 is the largest (layout_elements).
 */
static int64_t layout_farthest_of_blocks(const struct layout *layout)
{
    int64_t displacement = 0, farthest = 0;
    for (int rank = 0; rank < layout->size; rank++)
        layout_add_block(layout->operation->sends == SHARE_EACH ? layout_elements(layout, 1 % layout->size, rank)
                                                                : layout_elements(layout, rank, 1 % layout->size),
                         &displacement, &farthest);
    return farthest;
}

int64_t layout_farthest(const struct layout *layout)
{
    const struct operation *const operation = layout->operation;
    if (operation->sends != SHARE_PEERS)
        return layout_farthest_of_blocks(layout);
    int64_t farthest = 0;
    for (int rank = 0; rank < layout->size; rank++) {
        const int64_t rank_farthest = layout_farthest_of_peers(layout, rank);
        farthest = rank_farthest > farthest ? rank_farthest : farthest;
    }
    return farthest;
}
