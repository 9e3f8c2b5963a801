/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pattern.h: known data for --check.
 *
 * Moved data: the block that rank s sends to rank d has bytes that depend on s, d and the place. Where all receive the
 * same, d is 0. Reduced data: element i of rank r is a small number, so that every sum is exact; for a product it
 * is 1 or -1.
 */
#ifndef ISOCHRON_PATTERN_H
#define ISOCHRON_PATTERN_H

#include "call.h"

#include <stdbool.h>

/* Fills the send buffer with this rank's block for rank 0. */
void pattern_fill_block(struct call *call);

/* Fills the send buffer with this rank's blocks for every rank. */
void pattern_fill_blocks(struct call *call);

/* Whether buffer holds the block of source for destination. */
bool pattern_is_block(const struct call *call, const void *buffer, int source, int destination);

/* Whether the receive buffer holds the block of every rank for destination, in rank order. */
bool pattern_is_from_all(const struct call *call, int destination);

/* Fills the send buffer with blocks of call->count elements to be reduced. */
void pattern_fill_numbers(struct call *call, int blocks);

/*
 * Whether the receive buffer holds call->count elements, beginning with element first of the sent vector, reduced
 * over ranks 0 to ranks - 1.
 */
bool pattern_is_reduced(const struct call *call, int64_t first, int ranks);

#endif
