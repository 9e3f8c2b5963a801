/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * processor.h: how quickly the processor computes and copies, read in some microseconds.
 *
 * What is copied comes from memory and goes to memory: lines are taken out of the caches after each reading, and
 * writes pass them by, so that the buffers of what is measured stay where they are. Only on x86-64; elsewhere there is
 * no reading of copies.
 */
#ifndef ISOCHRON_PROCESSOR_H
#define ISOCHRON_PROCESSOR_H

/* Memory for copies; NULL where there is none, or no way to read it. */
void *processor_open_copies(void);
void processor_close_copies(void *memory);

/* GB/s copied (10^9 bytes that are read and written); NaN without memory. */
double processor_copy(void *memory);

/* ns for a chain of a known number of additions, each of which waits for the one before: cycles, whatever the data. */
double processor_compute(void);

#endif
