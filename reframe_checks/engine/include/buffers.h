/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * buffers.h: the memory that operations send from and receive into.
 *
 * Two sets of equal size: the second call of an operation uses the other set, so that what the first call registered
 * or cached for its buffers does not flatter it. Warm: all counted runs use one set. Every page is touched and zero.
 */
#ifndef ISOCHRON_BUFFERS_H
#define ISOCHRON_BUFFERS_H

#include "call.h"
#include "fault.h"

enum { BUFFERS_SETS = 2 };

struct buffers {
    void *send[BUFFERS_SETS];
    void *recv[BUFFERS_SETS];
};

int buffers_open(struct buffers *buffers, const struct call *call, size_t alignment, struct fault *fault);

/* Points the call at one set. */
void buffers_use(const struct buffers *buffers, int set, struct call *call);

void buffers_close(struct buffers *buffers);

#endif
