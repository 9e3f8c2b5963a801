/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sizes.h: the message sizes of a launch, from a list or a range.
 *
 *   8,1KiB,64KiB        these sizes
 *   8:1MiB:x2           from 8 bytes to 1 MiB, doubling
 *   0:4096:+512         from 0 to 4096 bytes in steps of 512
 */
#ifndef ISOCHRON_SIZES_H
#define ISOCHRON_SIZES_H

#include "base/fault.h"

#include <stddef.h>
#include <stdint.h>

enum { SIZES_LIMIT = 4096 }; /* the largest number of sizes of a launch */

struct sizes {
    int64_t *bytes;
    size_t count;
};

/* Parse the text; after a fault there is nothing to free. */
int sizes_parse(const char *text, struct sizes *sizes, struct fault *fault);

void sizes_free(struct sizes *sizes);

#endif
