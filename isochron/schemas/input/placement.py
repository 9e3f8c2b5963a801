# SPDX-License-Identifier: BSD-3-Clause
"""Placements: which nodes of an allocation a point takes, in which order, and which rank runs on which.

A placement of the campaign file is one of `PLACEMENTS` or the name of a list of nodes (`node_lists`). How many
processes a node gets is a factor of its own (`processes_per_node`): one process on each of n nodes is n × 1.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

#: Nodes by the launcher's own choice, filled one after another.
PACKED = "packed"
#: The allocation's first nodes; consecutive ranks on different nodes.
ROUND_ROBIN = "round-robin"
#: The allocation's nodes from the last to the first, filled one after another.
REVERSED = "reversed"
#: Nodes in an order that is drawn anew for each block; with an allocation larger than the point, a random subset.
RANDOM = "random"

PLACEMENTS = {
    PACKED: "fills node after node",
    ROUND_ROBIN: "consecutive ranks on different nodes",
    REVERSED: "as packed, from the last node to the first",
    RANDOM: "as packed, on nodes drawn anew for each block",
}


def is_dealt(placement: str) -> bool:
    """Whether the ranks are dealt to the nodes in turn, instead of filling node after node."""
    return placement == ROUND_ROBIN


def chosen_hosts(
    placement: str, nodes: int, allocation: int, node_list: Sequence[str], draw: random.Random
) -> list[str]:
    """Hosts of a point with `nodes` nodes in an allocation, in their order; empty: as the launcher chooses.

    `@0` is the allocation's first node, in the scheduler's order; other entries are names.
    """
    if placement == PACKED:
        return []
    if node_list:
        return list(node_list[:nodes])
    order = list(range(allocation))
    if placement == REVERSED:
        order.reverse()
    if placement == RANDOM:
        draw.shuffle(order)
    return [f"@{index}" for index in order[:nodes]]


def rank_hosts(hosts: Sequence[str], placement: str, processes: int, processes_per_node: int) -> list[str]:
    """The host of each rank, in the order of the ranks."""
    if is_dealt(placement):
        return [hosts[rank % len(hosts)] for rank in range(processes)]
    return [hosts[rank // processes_per_node] for rank in range(processes)]
