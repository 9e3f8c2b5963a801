# SPDX-License-Identifier: BSD-3-Clause
"""Placements of ranks on the nodes of an allocation, and scans over its nodes.

A placement of the campaign file is one of `PLACEMENTS` or the name of a list of nodes (`node_lists`). How many
processes a node gets is a factor of its own (`processes_per_node`): one process on each of n nodes is n × 1.

Each of them is a placement of its own, named after the places in the allocation: `scan-0003`, `scan-0003-0007`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Literal

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


Scan = Literal["nodes", "pairs"]

#: Nodes of a launch, and the fewest nodes that a scan can compare: of three pairs none can be told from its nodes.
NODES_OF: dict[Scan, int] = {"nodes": 1, "pairs": 2}
FEWEST: dict[Scan, int] = {"nodes": 3, "pairs": 4}
PREFIX = "scan"
#: The list of nodes that is scanned, where a campaign has one of this name.
SCANNED = "scan"


def scan_placements(scan: Scan, nodes: int) -> list[str]:
    """The placements of a scan of so many nodes, in order."""
    return [
        "-".join([PREFIX, *(f"{place:04d}" for place in places)])
        for places in combinations(range(nodes), NODES_OF[scan])
    ]


def scanned_places(placement: str) -> list[int]:
    """The places in the allocation that a placement of a scan takes; empty for any other placement."""
    prefix, *places = placement.split("-")
    return [int(place) for place in places] if prefix == PREFIX and all(map(str.isdigit, places)) else []


def check_scan(
    scan: Scan, nodes: int, allocation: int, placements: list[str], processes: list[int], per_node: list[int]
) -> None:
    """A campaign can scan `nodes` nodes in an allocation of `allocation`. Raises ValueError."""
    if placements != [PACKED]:
        raise ValueError("placements: a scan places every launch itself; remove the key")
    if nodes < FEWEST[scan]:
        raise ValueError(f"scan: {nodes} nodes, and {scan} need {FEWEST[scan]} at least; raise site.nodes")
    if nodes > allocation:
        raise ValueError(f"node_lists.{SCANNED}: names {nodes} nodes; site.nodes is {allocation}; raise it")
    for count in processes:
        for each in per_node:
            if each <= count and -(-count // each) != NODES_OF[scan]:
                raise ValueError(
                    f"scan: {count} processes at {each} per node take {-(-count // each)} nodes, and one of `{scan}` "
                    f"takes {NODES_OF[scan]}; change processes or processes_per_node"
                )
