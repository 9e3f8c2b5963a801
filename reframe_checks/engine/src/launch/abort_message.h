/* SPDX-License-Identifier: BSD-3-Clause */
/* abort_message.h: the message of a process that aborts the launch. */
#ifndef ISOCHRON_ABORT_MESSAGE_H
#define ISOCHRON_ABORT_MESSAGE_H

#include "base/fault.h"

/*
 * Write one line to standard error and wait until it has been read, at most a second: a launcher that is told to abort
 * discards what it has not forwarded yet.
 */
void abort_message(int rank, const struct fault *fault);

#endif
