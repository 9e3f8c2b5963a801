/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync_nodes.h: any synchroniser, over all processes or over one process a node.
 *
 * Processes of a shared-memory node that read one clock need no messages to agree: one of them, the leader, takes part
 * in the synchronisation and hands its model on, as in hierarchical HCA3 (S. Hunold, A. Carpen-Amarie, CLUSTER 2018).
 * That they read one clock is checked: the kernel's clock source must be the same by name, and a comparison with the
 * leader by messages must not contradict it.
 */
#ifndef ISOCHRON_SYNC_NODES_H
#define ISOCHRON_SYNC_NODES_H

#include "sync/synchroniser.h"
#include "words/choices.h"

/*
 * Collective. flat: every process for itself; shared: by node, an environment fault where the clocks of a node are not
 * one; auto: by node where the clocks of every node are one, else flat. *shared tells whether it was done by node.
 */
int sync_nodes_run(const struct team *team, const struct clock *clock, const struct synchroniser *synchroniser,
                   const struct sync_plan *plan, enum sync_nodes_choice nodes, struct synchronisation *own,
                   bool *shared, struct fault *fault);

#endif
