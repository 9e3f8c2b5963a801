# SPDX-License-Identifier: BSD-3-Clause
"""A described machine in the simulator's words: platform file and host files of SimGrid.

Each group is a cluster: every node has a link up and one down, each with half of the latency; a link that is not
shared (FATPIPE) caps every message at the rate of one stream. So ping-pong gives the described latency and rate
between any two nodes of a group, and many streams together give the rate of the node. (What SimGrid's own
FAT_TREE cannot do: there the latency depends on the number of switches, and one stream gets the whole link.)

A stream whose route is longer gets less while one with a shorter route leaves the same group, as with TCP: the rate of
one stream is exact under load where all routes are equally long (no `trunk_latency_us`).

Where no trunk can make a difference (`flat`) there is one cluster, and the stream's rate is a setting of the simulator.
A link that all messages of a group use makes the simulator look at all of them whenever one comes or goes, with the
square of their number if it is not shared: at 8192 processes nearly all of the time went there.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from isochron.ground.files import write_atomically
from isochron.schemas.input.machine import Machine

HEAD = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="machine" routing="Full">
"""
TAIL = "</zone>\n</platform>\n"


def platform_xml(machine: Machine) -> str:
    """The platform file."""
    trunks = _trees if machine.topology.kind == "fat-tree" else _pairs
    lines = [_cluster(machine, "g0", 0, machine.nodes)] if flat(machine) else [*_groups(machine), *trunks(machine)]
    return HEAD + "".join(f"{line}\n" for line in lines) + TAIL


def flat(machine: Machine) -> bool:
    """Whether all pairs of nodes are alike: trunks add no latency, and all nodes of a group together cannot fill one.

    The rate of a stream is then capped by its latency (`settings`), which must not cap messages within a node.
    """
    topology, memory = machine.topology, machine.memory
    return (
        topology.kind == "fat-tree"
        and topology.trunk_latency_us == 0
        and topology.trunk_mb_per_s >= topology.nodes_per_group * machine.node_mb_per_s
        and memory.latency_us * memory.mb_per_s <= machine.latency_us * machine.stream_mb_per_s
    )


def settings(machine: Machine) -> list[str]:
    """Settings of the simulator that belong to the platform file.

    SimGrid gives no stream more than gamma / (2 × latency of its route), gamma in bytes (µs × MB/s are bytes).
    """
    return [f"network/TCP-gamma:{2 * machine.latency_us * machine.stream_mb_per_s:.12g}"] if flat(machine) else []


def _groups(machine: Machine) -> Iterator[str]:
    size = machine.topology.nodes_per_group
    cap = f'bb_bw="{machine.stream_mb_per_s:g}MBps" bb_lat="0us" bb_sharing_policy="FATPIPE" '
    for group in range(machine.groups):
        yield _cluster(machine, f"g{group}", group * size, min(machine.nodes, (group + 1) * size), cap)


def _cluster(machine: Machine, name: str, first: int, end: int, cap: str = "") -> str:
    """Nodes `first` … `end` - 1, each with a link up and one down; `cap`: the link that all their messages use."""
    return (
        f'<cluster id="{name}" prefix="n" suffix="" radical="{first}-{end - 1}" router_id="r{name[1:]}" '
        f'speed="1Gf" core="{machine.cores}" sharing_policy="SPLITDUPLEX" '
        f'bw="{machine.node_mb_per_s:g}MBps" lat="{machine.latency_us / 2:g}us" {cap}'
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
