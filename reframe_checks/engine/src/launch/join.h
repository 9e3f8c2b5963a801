/* SPDX-License-Identifier: BSD-3-Clause */
/* join.h: joining the residents that take turns, before MPI is started. */
#ifndef ISOCHRON_JOIN_H
#define ISOCHRON_JOIN_H

#include "options/options.h"
#include "turns/resident.h"

/* Join, with the residents and the cases of the options, and wait for the prologue turn. */
int join_turns(const struct options *options, int argc, char **argv, struct resident *resident, struct fault *fault);

/* Leave: after the file is written in the epilogue turn, before it with an error. */
void join_leave(struct resident *resident);

#endif
