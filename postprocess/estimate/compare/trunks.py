# SPDX-License-Identifier: BSD-3-Clause
"""Pairs of hosts that send at the same time, and the links of a trunk that they share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from isochron.schemas.input.machine import Machine


def pairs_by_link(machine: Machine, hosts: Sequence[str]) -> dict[int, list[str]]:
    """Pairs between two groups of a described machine (`n0–n16`) by the number of their link in its trunk, in order.

    `hosts`: the host of each rank; ranks 0 and 1 are a pair, 2 and 3, and so on. Hosts that the machine does not
    describe are in no pair.
    """
    topology, size = machine.topology, machine.topology.nodes_per_group
    links: dict[int, list[str]] = defaultdict(list)
    for one, other in zip(hosts[::2], hosts[1::2], strict=False):
        source, target = machine.node_index(one), machine.node_index(other)
        if source is not None and target is not None and source // size != target // size:
            ends = (topology.address(*divmod(index, size)) for index in (source, target))
            links[topology.link(*ends)].append(f"{one}–{other}")
    return dict(sorted(links.items()))
