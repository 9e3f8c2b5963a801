# SPDX-License-Identifier: BSD-3-Clause
"""Which points share an allocation, how large it is, and which of its nodes a launch takes."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.launches.scan import SCANNED, scanned_places
from isochron.schemas.input.placement import chosen_hosts
from isochron.schemas.run.plan import Point


@dataclass(frozen=True)
class Allocation:
    """A number of nodes, those that must be among them, and the points that are measured on them."""

    nodes: int
    hosts: list[str]
    points: list[Point]


def allocations(campaign: Campaign, points: Iterable[Point]) -> list[Allocation]:
    """The allocations of one repetition, small ones first. A list of nodes has allocations of its own if `exact`.

    A scan has one, of all nodes that it compares.
    """
    if campaign.scan:
        return [Allocation(campaign.scanned_nodes, campaign.node_lists.get(SCANNED, []), list(points))]
    groups: dict[tuple[int, str], list[Point]] = {}
    for point in points:
        key = (0, "")
        if campaign.replication.allocation == "exact":
            key = (point.nodes, point.placement if point.placement in campaign.node_lists else "")
        groups.setdefault(key, []).append(point)
    return [_allocation(campaign, groups[key]) for key in sorted(groups)]


def _allocation(campaign: Campaign, points: list[Point]) -> Allocation:
    hosts: list[str] = []
    for point in points:
        hosts += [host for host in campaign.node_lists.get(point.placement, [])[: point.nodes] if host not in hosts]
    return Allocation(max(len(hosts), *(point.nodes for point in points), 1), hosts, points)


def hosts_of(campaign: Campaign, point: Point, allocation: Allocation, block: int) -> list[str]:
    """The nodes of a point in a block, the same for every stack (`PlannedLaunch.hosts`)."""
    places = scanned_places(point.placement) if campaign.scan else []
    if places:
        listed = campaign.node_lists.get(SCANNED, [])
        return [listed[place] if listed else f"@{place}" for place in places]
    draw = random.Random(f"{campaign.seed}:{block}:{point.label}")
    named = campaign.node_lists.get(point.placement, [])
    return chosen_hosts(point.placement, point.nodes, allocation.nodes, named, draw)
