/* SPDX-License-Identifier: BSD-3-Clause */
/* process.h: the begin and the end of counting, for C and for Fortran. */
#ifndef PROFILE_PROCESS_H
#define PROFILE_PROCESS_H

#include "profile.h"

#pragma GCC visibility push(hidden)

/* Times before MPI_Init. */
struct profile_facts process_before(void);

/* After it: the file is there, and the time of MPI_Init is its first entry. */
void process_begins(struct profile_facts facts);

/* After MPI_Finalize, which began at `begin` ticks. */
void process_ends(uint64_t begin);

#pragma GCC visibility pop

#endif
