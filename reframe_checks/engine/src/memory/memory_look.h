/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_look.h: what the kernel says of the memory of this process. */
#ifndef ISOCHRON_MEMORY_LOOK_H
#define ISOCHRON_MEMORY_LOOK_H

#include "memory/memory.h"

/* Looks; makes no MPI call. */
void memory_look(struct memory *memory, enum memory_step step);

#endif
