/* SPDX-License-Identifier: BSD-3-Clause */
/* clock_source.h: what the kernel says of its clock. */
#ifndef ISOCHRON_CLOCK_SOURCE_H
#define ISOCHRON_CLOCK_SOURCE_H

/* Name of the kernel's clock source; "unknown" where it cannot be read. */
void clock_source_read(char *name, int capacity);

#endif
