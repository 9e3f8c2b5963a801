/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * neighborhood.h: the neighbours of a process in the neighbourhood collectives.
 *
 * --topology cart: a periodic grid of two dimensions (MPI_Dims_create), four neighbours each; on few processes one
 * process can be several of them. --topology graph: a directed graph; each process sends to the next two ranks.
 */
#ifndef ISOCHRON_NEIGHBORHOOD_H
#define ISOCHRON_NEIGHBORHOOD_H

#include "call/call.h"
#include "operation/operation.h"

/* Collective: create the communicator with the topology. */
int neighborhood_prepare(struct call *call, struct fault *fault);

/* The peers function of the operations. */
int neighborhood_peers(const struct call *call, bool sending, int *ranks);

#endif
