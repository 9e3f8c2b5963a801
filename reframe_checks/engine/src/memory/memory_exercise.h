/* SPDX-License-Identifier: BSD-3-Clause */
/* memory_exercise.h: makes the MPI library set itself up, step by step. */
#ifndef ISOCHRON_MEMORY_EXERCISE_H
#define ISOCHRON_MEMORY_EXERCISE_H

#include "base/fault.h"
#include "memory/memory.h"

/* Collective over MPI_COMM_WORLD: the steps after MPI_Init. */
int memory_exercise(struct memory *memory, struct fault *fault);

#endif
