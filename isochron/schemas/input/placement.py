# SPDX-License-Identifier: BSD-3-Clause
"""Placements of ranks on the nodes of an allocation, and scans over its nodes.

A placement of the campaign file is one of `PLACEMENTS` or the name of a list of nodes (`node_lists`). The number
of processes per node is a separate factor (`processes_per_node`): one process on each of n nodes is n × 1.

Each launch of a scan has its own placement, named after the nodes' indices in the allocation: `scan-0003`,
`scan-0003-0007`.
"""

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Literal

#: Nodes chosen by the launcher, filled one after another.
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
    """Return True if consecutive ranks are on different nodes, instead of filling node after node."""
    return placement == ROUND_ROBIN


def chosen_hosts(
    placement: str, nodes: int, allocation: int, node_list: Sequence[str], draw: random.Random
) -> list[str]:
    """Return hosts of a point with `nodes` nodes in an allocation, in their order; empty: as the launcher chooses.

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
    """Return the host of each rank, in the order of the ranks."""
    if is_dealt(placement):
        return [hosts[rank % len(hosts)] for rank in range(processes)]
    return [hosts[rank // processes_per_node] for rank in range(processes)]


Scan = Literal["nodes", "pairs"]

#: Nodes of a launch, and the smallest number of nodes of a scan: with three pairs, links and nodes are confounded.
NODES_OF: dict[Scan, int] = {"nodes": 1, "pairs": 2}
MIN_NODES: dict[Scan, int] = {"nodes": 3, "pairs": 4}
PREFIX = "scan"
#: The list of nodes that is scanned, if the campaign has a list of this name.
SCANNED = "scan"


def scan_placements(scan: Scan, nodes: int) -> list[str]:
    """Return the placements of a scan of N nodes, in order."""
    return [
        "-".join([PREFIX, *(f"{index:04d}" for index in indices)])
        for indices in combinations(range(nodes), NODES_OF[scan])
    ]


def scanned_places(placement: str) -> list[int]:
    """Return the indices of a scan placement's nodes in the allocation; empty for any other placement."""
    prefix, *indices = placement.split("-")
    return [int(index) for index in indices] if prefix == PREFIX and all(map(str.isdigit, indices)) else []


def check_scan(
    scan: Scan, nodes: int, allocation: int, placements: list[str], processes: list[int], per_node: list[int]
) -> None:
    """Raise ValueError unless a campaign can scan `nodes` nodes in an allocation of `allocation` nodes."""
    if placements != [PACKED]:
        raise ValueError("placements: a scan places every launch itself; remove the key")
    if nodes < MIN_NODES[scan]:
        raise ValueError(
            f"scan: `{scan}` needs at least {MIN_NODES[scan]} nodes, but there are {nodes}; raise site.nodes"
        )
    if nodes > allocation:
        raise ValueError(f"node_lists.{SCANNED}: names {nodes} nodes, but site.nodes is {allocation}; raise it")
    for count in processes:
        for ppn in per_node:
            if ppn <= count and -(-count // ppn) != NODES_OF[scan]:
                raise ValueError(
                    f"scan: {count} processes at {ppn} per node use {-(-count // ppn)} nodes, but `{scan}` "
                    f"needs {NODES_OF[scan]}; change processes or processes_per_node"
                )
