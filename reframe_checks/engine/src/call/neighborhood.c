/* SPDX-License-Identifier: BSD-3-Clause */
/* neighborhood.c: topologies for the neighbourhood collectives (see neighborhood.h). */
#include "call/neighborhood.h"

#include "operation/layout.h"

enum { NEIGHBORHOOD_DIMENSIONS = 2 };

static int neighborhood_make_graph(const struct call *call, MPI_Comm *comm)
{
    static const int weights[LAYOUT_REACH] = {1, 1};
    int sources[LAYOUT_REACH], destinations[LAYOUT_REACH];
    const int in = layout_graph_peers(call->size, call->rank, false, sources);
    const int out = layout_graph_peers(call->size, call->rank, true, destinations);
    return MPI_Dist_graph_create_adjacent(call->comm, in, sources, weights, out, destinations, weights, MPI_INFO_NULL,
                                          0, comm);
}

static int neighborhood_make_grid(const struct call *call, MPI_Comm *comm)
{
    int sizes[NEIGHBORHOOD_DIMENSIONS] = {0}, periodic[NEIGHBORHOOD_DIMENSIONS] = {1, 1};
    const int result = MPI_Dims_create(call->size, NEIGHBORHOOD_DIMENSIONS, sizes);
    return result != MPI_SUCCESS ? result
                                 : MPI_Cart_create(call->comm, NEIGHBORHOOD_DIMENSIONS, sizes, periodic, 0, comm);
}

int neighborhood_prepare(struct call *call, struct fault *fault)
{
    MPI_Comm comm = MPI_COMM_NULL;
    if ((call->graph ? neighborhood_make_graph : neighborhood_make_grid)(call, &comm) != MPI_SUCCESS)
        return fault_set(fault, FAULT_SYSTEM, "cannot create the topology of %s", call->operation->name);
    call->comm = comm;
    call->owns_comm = true;
    return 0;
}

int neighborhood_peers(const struct call *call, bool sending, int *ranks)
{
    if (call->graph)
        return layout_graph_peers(call->size, call->rank, sending, ranks);
    /* For both directions: on a periodic grid the receivers of a process are also its senders. */
    int count = 0;
    for (int dimension = 0; dimension < NEIGHBORHOOD_DIMENSIONS; dimension++, count += 2)
        MPI_Cart_shift(call->comm, dimension, 1, &ranks[count], &ranks[count + 1]);
    return count;
}
