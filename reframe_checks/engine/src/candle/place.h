/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h: which process of how many this one is, from the environment that the launcher of any MPI library sets. */
#ifndef ISOCHRON_PLACE_H
#define ISOCHRON_PLACE_H

#include "base/fault.h"

#include <stdint.h>

struct place {
    int rank, size;
    uint64_t key; /* the same in all processes of a launch, another in every other launch; not 0 */
};

/*
 * Read rank and size; a process without a launcher is 0 of 1. expected: the number of processes, 0: any. The key is a
 * hash of the command line and the working directory, with the launcher's name of the launch where it has one. An
 * environment fault if the number is not the expected one, or the variables contradict each other.
 */
int place_read(int argc, char **argv, int64_t expected, struct place *place, struct fault *fault);

#endif
