/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * processor.h: an instrument: the speed at which the processor computes and copies, read in a few microseconds.
 *
 * The copy is from memory to memory: lines are evicted from the caches after each reading, and writes bypass them, so
 * that the buffers of the measured operations stay in the caches. Only on x86-64; elsewhere there is no copy reading.
 */
#ifndef ISOCHRON_PROCESSOR_H
#define ISOCHRON_PROCESSOR_H

/* Return memory for copies; NULL if there is none, or the architecture is not supported. */
void *processor_open_copies(void);
void processor_close_copies(void *memory);

/* Return the copy rate in GB/s (10^9 bytes read and written); NaN without memory. */
double processor_copy(void *memory);

/* Return the ns of a chain of 2000 dependent additions, a known number of cycles. */
double processor_compute(void);

#endif
