/* SPDX-License-Identifier: BSD-3-Clause */
/* last_words.h: why this process ends the launch. */
#ifndef ISOCHRON_LAST_WORDS_H
#define ISOCHRON_LAST_WORDS_H

#include "base/fault.h"

/*
 * Writes one line to standard error and waits until somebody has read it, at most a second: a launcher that is told to
 * abort throws away what it has not passed on yet.
 */
void last_words(int rank, const struct fault *fault);

#endif
