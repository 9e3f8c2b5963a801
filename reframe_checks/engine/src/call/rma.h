/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rma.h: the windows of one-sided operations, and the ways to synchronise them.
 *
 * A window is of two processes, the origin and the target; if both move data, each is both. The target's buffer lies in
 * the window, with all its sets; where the library allocates the memory, the buffers of that side are made of it. The
 * window is opened and closed outside all repetitions.
 *
 * A target that takes no part in the synchronisation waits for the origin after each repetition, untimed and inside the
 * MPI library, which can then make progress for it.
 */
#ifndef ISOCHRON_RMA_H
#define ISOCHRON_RMA_H

#include "base/fault.h"
#include "call/call.h"

#include <stdbool.h>
#include <stddef.h>

/* Return true if this process has a window whose memory the library allocates. */
bool rma_allocates(const struct call *call);

/*
 * Collective over the two processes: open the window over bytes of *memory, which is set if the library allocates it.
 * If the library refuses, call->refused is set, which is no fault.
 */
int rma_open(struct call *call, char **memory, size_t bytes, struct fault *fault);

/* Collective; a window that one of the two may not have is left open. */
void rma_close(struct call *call);

/*
 * Synchronise, transfer each block between the origin's own memory and its place in the target's window, and
 * synchronise; return the MPI result.
 */
int rma_execute(struct call *call);

/* For the before of an operation: transfers find in the window what this process has written there. */
int rma_before(struct call *call);

/* What follows a repetition; for the finish of an operation. */
int rma_finish(struct call *call);

#endif
