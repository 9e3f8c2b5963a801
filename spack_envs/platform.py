# SPDX-License-Identifier: BSD-3-Clause
"""A described machine in the simulator's words: platform file and host files of SimGrid.

Each group is a cluster: every node has a link up and one down, each with half of the latency; a link that is not
shared (FATPIPE) caps every message at the rate of one stream. So ping-pong gives the described latency and rate
between any two nodes of a group, and many streams together give the rate of the node. (What SimGrid's own
FAT_TREE cannot do: there the latency depends on the number of switches, and one stream gets the whole link.)

A stream whose route is longer gets less while one with a shorter route leaves the same group, as with TCP: the rate of
one stream is exact under load where all routes are equally long (no `trunk_latency_us`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from workflows.schemas.base import write_atomically
from workflows.schemas.machine import Machine

HEAD = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="machine" routing="Full">
"""
TAIL = "</zone>\n</platform>\n"


def platform_xml(machine: Machine) -> str:
    """The platform file."""
    lines = [*_groups(machine), *(_trees(machine) if machine.topology.kind == "fat-tree" else _pairs(machine))]
    return HEAD + "".join(f"{line}\n" for line in lines) + TAIL


def _groups(machine: Machine) -> Iterator[str]:
    size = machine.topology.nodes_per_group
    for group in range(machine.groups):
        first, last = group * size, min(machine.nodes, (group + 1) * size) - 1
        yield (
            f'<cluster id="g{group}" prefix="n" suffix="" radical="{first}-{last}" router_id="r{group}" '
            f'speed="1Gf" core="{machine.cores}" sharing_policy="SPLITDUPLEX" '
            f'bw="{machine.node_mb_per_s:g}MBps" lat="{machine.latency_us / 2:g}us" '
            f'bb_bw="{machine.stream_mb_per_s:g}MBps" bb_lat="0us" bb_sharing_policy="FATPIPE" '
            f'loopback_bw="{machine.memory.mb_per_s:g}MBps" loopback_lat="{machine.memory.latency_us:g}us"/>'
        )


def _link(name: str, machine: Machine, share: float) -> str:
    """A trunk; `share` is its part of the latency that trunks add to a route."""
    topology = machine.topology
    return (
        f'<link id="{name}" bandwidth="{topology.trunk_mb_per_s:g}MBps" '
        f'latency="{topology.trunk_latency_us * share:g}us" sharing_policy="SPLITDUPLEX"/>'
    )


def _route(source: int, target: int, *links: str) -> str:
    return (
        f'<zoneRoute src="g{source}" dst="g{target}" gw_src="r{source}" gw_dst="r{target}" symmetrical="NO">'
        f"{''.join(links)}</zoneRoute>"
    )


def _trees(machine: Machine) -> Iterator[str]:
    """Two trunks on every route between groups: up from one, down to the other."""
    for group in range(machine.groups):
        yield _link(f"trunk{group}", machine, 0.5)
    for source, target in itertools.permutations(range(machine.groups), 2):
        up, down = (
            f'<link_ctn id="trunk{source}" direction="UP"/>',
            f'<link_ctn id="trunk{target}" direction="DOWN"/>',
        )
        yield _route(source, target, up, down)


def _pairs(machine: Machine) -> Iterator[str]:
    """One trunk for each pair of groups."""
    for one, other in itertools.combinations(range(machine.groups), 2):
        name = f"trunk{one}-{other}"
        yield _link(name, machine, 1.0)
        yield _route(one, other, f'<link_ctn id="{name}" direction="UP"/>')
        yield _route(other, one, f'<link_ctn id="{name}" direction="DOWN"/>')


def host_lines(machine: Machine, processes_per_node: int) -> str:
    """The host of each rank, a line each: node after node is filled."""
    return "".join(f"{machine.node_name(node)}\n" * processes_per_node for node in range(machine.nodes))


def write_platform(machine: Machine, folder: Path) -> None:
    """Write the platform file and a host file for every number of processes on a node."""
    write_atomically(folder / "platform.xml", platform_xml(machine))
    for per_node in range(1, machine.cores + 1):
        write_atomically(folder / f"hosts-{per_node}", host_lines(machine, per_node))
