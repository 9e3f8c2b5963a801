/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync_nodes.h: any synchroniser, over all processes or over one process per node.
 *
 * Processes of a shared-memory node that read one clock need no messages to agree: one of them, the leader, is
 * synchronised and passes its model on, as in hierarchical HCA3 (S. Hunold, A. Carpen-Amarie, CLUSTER 2018). That they
 * read one clock is checked: the names of the kernel's clock sources must be equal, and a comparison with the leader by
 * messages must not contradict it.
 */
#ifndef ISOCHRON_SYNC_NODES_H
#define ISOCHRON_SYNC_NODES_H

#include "option_values/choices.h"
#include "sync/synchroniser.h"

/*
 * Collective. flat: synchronise every process; shared: one per node, an environment fault if the processes of a node do
 * not read one clock; auto: one per node if those of every node do, otherwise flat. *shared is set if it was per node.
 */
int sync_nodes_synchronise(const struct team *team, const struct clock *clock, const struct synchroniser *synchroniser,
                           const struct sync_plan *plan, enum sync_nodes_choice nodes, struct synchronisation *sync,
                           bool *shared, struct fault *fault);

#endif
