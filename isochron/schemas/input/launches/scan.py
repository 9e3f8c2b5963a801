# SPDX-License-Identifier: BSD-3-Clause
"""A scan of the nodes: each launch is repeated on every node, or on every pair of nodes, of one allocation.

Each of them is a placement of its own, named after the places in the allocation: `scan-0003`, `scan-0003-0007`.
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal

from isochron.schemas.input.placement import PACKED

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
