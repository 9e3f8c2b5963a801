# SPDX-License-Identifier: BSD-3-Clause
"""The points of a campaign, those that a stack cannot run, and the allocations that they share."""

import itertools
import os
import random
from collections.abc import Iterable
from dataclasses import dataclass

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.placement import PACKED, SCANNED, chosen_hosts, scan_placements, scanned_places
from isochron.schemas.run.manifest import StackDeclaration
from isochron.schemas.run.plan import Point, Skipped


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def cores_of(campaign: Campaign) -> int:
    """Return the number of cores per node; if the campaign does not state it, that of this machine."""
    return campaign.site.cores_per_node or usable_cores()


def all_points(campaign: Campaign) -> list[Point]:
    """List processes × processes per node × placements in the order of the file; for a scan, every node or pair."""
    placements = scan_placements(campaign.scan, campaign.scanned_nodes) if campaign.scan else campaign.placements
    combinations = itertools.product(placements, campaign.processes, campaign.processes_per_node)
    return [
        Point(processes=processes, processes_per_node=per_node, placement=placement)
        for placement, processes, per_node in combinations
    ]


def obstacle(point: Point, stack: StackDeclaration, campaign: Campaign, cores_per_node: int) -> str | None:
    """Return why this stack cannot run this point, or None."""
    if point.processes_per_node > point.processes:
        return f"{point.processes_per_node} processes per node are more than the {point.processes} processes"
    named = campaign.node_lists.get(point.placement)
    if named is not None and point.nodes > len(named):
        return f"needs {point.nodes} nodes; node_lists.{point.placement} names {len(named)}"
    if point.nodes > campaign.site.nodes:
        return f"needs {point.nodes} nodes; site.nodes is {campaign.site.nodes}; raise it if the machine has more"
    largest = campaign.replication.allocation == "largest"
    if named is not None and largest and len(_all_named(campaign)) > campaign.site.nodes:
        return f"the node lists name {len(_all_named(campaign))} nodes; site.nodes is {campaign.site.nodes}"
    if point.placement != PACKED and stack.launcher.placed is None and stack.launcher.pmi is None:
        return f"this stack's launcher cannot place ranks on given nodes (placement '{point.placement}')"
    if stack.simulator is not None and point.processes > stack.simulator.largest:
        return f"simulating this stack takes too long beyond {stack.simulator.largest} processes"
    threads = campaign.most_threads
    if point.processes_per_node * threads <= cores_per_node:
        return None
    of_threads = f" of {threads} threads (engine.threads)" if threads > 1 else ""
    too_many = f"{point.processes_per_node} processes{of_threads} on a node with {cores_per_node} cores"
    lower = "lower processes_per_node or threads" if threads > 1 else "lower processes_per_node"
    if stack.launcher.oversubscribe is None:
        return f"{too_many}, and processes of this stack spin while they wait; {lower}"
    if not campaign.allow_oversubscription:
        return f"{too_many}; {lower}, or set allow_oversubscription: true"
    return None


def _all_named(campaign: Campaign) -> set[str]:
    return {host for placement in campaign.placements for host in campaign.node_lists.get(placement, [])}


def sort_out(
    campaign: Campaign, stacks: list[StackDeclaration], cores_per_node: int
) -> tuple[dict[Point, list[str]], list[Skipped]]:
    """Return the points with the stacks that run them, and everything that is skipped."""
    running: dict[Point, list[str]] = {}
    skipped: list[Skipped] = []
    for point, stack in itertools.product(all_points(campaign), stacks):
        reason = obstacle(point, stack, campaign, cores_per_node)
        if reason is None:
            running.setdefault(point, []).append(stack.stack)
        else:
            skipped.append(Skipped(stack=stack.stack, point=point, reason=reason))
    return running, skipped


@dataclass(frozen=True)
class Allocation:
    """A number of nodes, those that must be among them, and the points that are measured on them."""

    nodes: int
    hosts: list[str]
    points: list[Point]


def allocations(campaign: Campaign, points: Iterable[Point]) -> list[Allocation]:
    """Return the allocations of one replicate, small ones first. With `exact`, each list of nodes has its own.

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
    """Return the nodes of a point in a block, the same for every stack (`PlannedLaunch.hosts`)."""
    indices = scanned_places(point.placement) if campaign.scan else []
    if indices:
        listed = campaign.node_lists.get(SCANNED, [])
        return [listed[index] if listed else f"@{index}" for index in indices]
    draw = random.Random(f"{campaign.seed}:{block}:{point.label}")
    named = campaign.node_lists.get(point.placement, [])
    return chosen_hosts(point.placement, point.nodes, allocation.nodes, named, draw)
