/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lanes.h: messages between the processes of one node through shared memory: a lane for each ordered pair.
 *
 * A lane is a ring of cells. The sender copies a piece into the next free cell and raises the lane's number of pieces
 * sent; the receiver copies it out and raises the number taken. A lane has memory only once it has been used: its file
 * is sparse.
 */
#ifndef ISOCHRON_LANES_H
#define ISOCHRON_LANES_H

#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANE_CELL = 8192, LANE_CELLS = 8 }; /* bytes of a cell, cells of a lane */

struct lane;

struct lanes {
    int index, count;       /* of this process among those of its node, and their number */
    struct lane *memory;    /* count x count, by sender and receiver */
    uint32_t *sent, *taken; /* pieces, to and from each process */
};

/* Return the bytes of the lanes between that many processes. */
size_t lanes_bytes(int count);

/* Map the lanes, which begin at that offset of the file and are zero. */
int lanes_open(struct lanes *lanes, int descriptor, size_t offset, int index, int count, struct fault *fault);
void lanes_close(struct lanes *lanes);

/* Send a piece of at most LANE_CELL bytes; false if all cells of the lane are in use. */
bool lanes_put(struct lanes *lanes, int to, const char *data, size_t bytes);

/* Receive the next piece, of a size that both sides know; false if there is none yet. */
bool lanes_get(struct lanes *lanes, int from, char *data, size_t bytes);

#endif
