# SPDX-License-Identifier: BSD-3-Clause
"""The simulated source: a stack of SimGrid SMPI on a described machine, and SimGrid's files of that machine.

Each group is a cluster: every node has a link up and one down, each with half of the latency; a link that is not
shared (FATPIPE) caps every message at the rate of one stream. So ping-pong gives the described latency and rate
between any two nodes of a group, and many streams together give the rate of the node, one way. Where both directions
of a node share a limit (`node_two_way_mb_per_s`), its messages in either direction take a third link. (What SimGrid's
own FAT_TREE cannot do: there the latency depends on the number of switches, and one stream gets the whole link.)

A stream whose route is longer gets less while one with a shorter route leaves the same group, as with TCP: the rate of
one stream is exact under load where all routes are equally long (no `trunk_latency_us`).

A trunk of several links (`trunk_links`) is as many links, and a group as many clusters: a route between groups belongs
to a pair of clusters, so that the low bits of the addresses of two nodes say which link their messages take. Of links
that are no power of two in number, all bits do, and each node is a cluster.

Where no trunk can make a difference (`Machine.flat`) there is one cluster, and the stream's rate is a setting of the
simulator. A link that all messages of a group use makes the simulator look at all of them whenever one comes or goes,
with the square of their number if it is not shared: at 8192 processes nearly all of the time went there.

The settings make the network model that of Hockney: a message takes latency + bytes / bandwidth, bandwidths are shared
by the flows on a link, computation is free, and a reading of the clock takes 10 ns (without that cost a process that
waits for a time would never come to it).
"""

import hashlib
import itertools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from isochron.common.cache import refuse_writable_by_others, user_cache
from isochron.common.files import FileError, read_text, write_atomically
from isochron.schemas.input.machine import Machine
from isochron.schemas.run.manifest import Environment, Launcher, Simulator, StackDeclaration, Toolchain
from isochron.spack_envs.toolchain import sanitised

HEAD = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="machine" routing="Full">
"""
TAIL = "</zone>\n</platform>\n"


def platform_xml(machine: Machine) -> str:
    """Return the platform file."""
    if machine.flat:
        lines = [_cluster(machine, "g0", f"0-{machine.nodes - 1}")]
    else:
        trunks = _trees if machine.topology.kind == "fat-tree" else _pairs
        lines = [*_groups(machine), *_switches(machine), *trunks(machine)]
    lines.sort(key=lambda line: line.startswith("<zoneRoute"))  # routes come after all links
    return HEAD + "".join(f"{line}\n" for line in lines) + TAIL


def settings(machine: Machine) -> list[str]:
    """Return settings of the simulator that belong to the platform file.

    Where all pairs of nodes are equal, the rate of a stream is capped by its latency: SimGrid gives none more than
    gamma / (2 × latency of its route), gamma in bytes (µs × MB/s are bytes).
    """
    return [f"network/TCP-gamma:{2 * machine.latency_us * machine.stream_mb_per_s:.12g}"] if machine.flat else []


class Cell(NamedTuple):
    """The nodes of a group whose messages to the same target take the same links: the whole group with one link."""

    name: str
    group: int
    number: int
    nodes: list[int]


def _cells(machine: Machine) -> list[Cell]:
    """Return all cells, by group and what of its nodes' addresses selects a link."""
    topology = machine.topology
    size, links = topology.nodes_per_group, topology.trunk_links
    cells = []
    for group in range(machine.groups):
        members: dict[int, list[int]] = {}
        for index, node in enumerate(range(group * size, min(machine.nodes, (group + 1) * size))):
            members.setdefault(topology.selecting(topology.address(group, index)), []).append(node)
        for number in sorted(members):
            cells.append(Cell(f"{group}" if links == 1 else f"{group}.{number}", group, number, members[number]))
    return cells


def _groups(machine: Machine) -> Iterator[str]:
    cap = f'bb_bw="{machine.stream_mb_per_s:g}MBps" bb_lat="0us" bb_sharing_policy="FATPIPE" '
    for cell in _cells(machine):
        first, last = cell.nodes[0], cell.nodes[-1]
        undivided = machine.topology.trunk_links == 1
        yield _cluster(
            machine, f"g{cell.name}", f"{first}-{last}" if undivided else ",".join(map(str, cell.nodes)), cap
        )


def _cluster(machine: Machine, name: str, nodes: str, cap: str = "") -> str:
    """Nodes, each with a link up and one down, and one for both if they share a limit.

    `cap`: the link that all their messages use.
    """
    both = machine.node_two_way_mb_per_s
    limit = f'limiter_link="{both:g}MBps" ' if both and both < 2 * machine.node_mb_per_s else ""
    return (
        f'<cluster id="{name}" prefix="n" suffix="" radical="{nodes}" router_id="r{name[1:]}" '
        f'speed="1Gf" core="{machine.cores}" sharing_policy="SPLITDUPLEX" '
        f'bw="{machine.node_mb_per_s:g}MBps" lat="{machine.latency_us / 2:g}us" {limit}{cap}'
        f'loopback_bw="{machine.memory.mb_per_s:g}MBps" loopback_lat="{machine.memory.latency_us:g}us"/>'
    )


def _switches(machine: Machine) -> Iterator[str]:
    """Yield the routes between the cells of a group: a link without cost, since a route must have a link."""
    for group, cells in itertools.groupby(_cells(machine), key=lambda cell: cell.group):
        pairs = list(itertools.permutations(cells, 2))
        if pairs:
            rate = f'bandwidth="{machine.stream_mb_per_s:g}MBps" latency="0us" sharing_policy="FATPIPE"'
            yield f'<link id="switch{group}" {rate}/>'
        for source, target in pairs:
            yield _route(source, target, f'<link_ctn id="switch{group}"/>')


def _links(name: str, machine: Machine, share: float) -> Iterator[str]:
    """Yield the links of a trunk; `share` is its part of the latency that trunks add to a route."""
    topology = machine.topology
    for number in range(topology.trunk_links):
        yield (
            f'<link id="{_link(name, machine, number)}" '
            f'bandwidth="{topology.trunk_mb_per_s / topology.trunk_links:g}MBps" '
            f'latency="{topology.trunk_latency_us * share:g}us" sharing_policy="SPLITDUPLEX"/>'
        )


def _link(name: str, machine: Machine, number: int) -> str:
    """Return the name of a link of a trunk by its number."""
    return name if machine.topology.trunk_links == 1 else f"{name}.{number}"


def _route(source: Cell, target: Cell, *links: str) -> str:
    return (
        f'<zoneRoute src="g{source.name}" dst="g{target.name}" gw_src="r{source.name}" gw_dst="r{target.name}" '
        f'symmetrical="NO">{"".join(links)}</zoneRoute>'
    )


def _trees(machine: Machine) -> Iterator[str]:
    """Yield the routes of a tree, with two trunks between groups: up from one, down to the other."""
    for group in range(machine.groups):
        yield from _links(f"trunk{group}", machine, 0.5)
    for source, target in itertools.permutations(_cells(machine), 2):
        if source.group != target.group:
            number = machine.topology.link(source.number, target.number)
            up, down = (_link(f"trunk{cell.group}", machine, number) for cell in (source, target))
            yield _route(
                source, target, f'<link_ctn id="{up}" direction="UP"/>', f'<link_ctn id="{down}" direction="DOWN"/>'
            )


def _pairs(machine: Machine) -> Iterator[str]:
    """Yield the routes with one trunk for each pair of groups."""
    cells = {group: list(members) for group, members in itertools.groupby(_cells(machine), key=lambda cell: cell.group)}
    for one, other in itertools.combinations(cells, 2):
        name = f"trunk{one}-{other}"
        yield from _links(name, machine, 1.0)
        for low, high in itertools.product(cells[one], cells[other]):
            link = _link(name, machine, machine.topology.link(low.number, high.number))
            yield _route(low, high, f'<link_ctn id="{link}" direction="UP"/>')
            yield _route(high, low, f'<link_ctn id="{link}" direction="DOWN"/>')


def host_lines(machine: Machine, processes_per_node: int) -> str:
    """Return the host of each rank, one per line, filling node after node."""
    return "".join(f"{machine.node_name(node)}\n" * processes_per_node for node in range(machine.nodes))


def write_platform(machine: Machine, folder: Path) -> None:
    """Write the platform file and a host file for every number of processes on a node."""
    write_atomically(folder / "platform.xml", platform_xml(machine))
    for per_node in range(1, machine.cores + 1):
        write_atomically(folder / f"hosts-{per_node}", host_lines(machine, per_node))


INSTALL = (
    "scripts/install-system-packages.sh simulation (Debian: apt-get install libsimgrid-dev), or "
    "scripts/install-simgrid.sh (builds a newer one, which needs less time)"
)

#: Arguments of `smpirun` that all simulated stacks share. The engine has no mutable globals, so that the simulated
#: processes need no copies of them.
COMMON = ("-platform", "{machine}/platform.xml", "-no-privatize", "--log=root.thresh:error")

#: Settings of the simulator: model of time and network, then memory of a simulated process.
SETTINGS = (
    "smpi/simulate-computation:no",
    "smpi/host-speed:1Gf",
    "smpi/wtime:1e-8",
    "smpi/lat-factor:0:1",
    "smpi/bw-factor:0:1",
    "network/crosstraffic:0",
    # Otherwise a message over more links would have a smaller share of the rate of one stream.
    "network/weight-S:0",
    "contexts/factory:raw",
    "contexts/stack-size:64",
    "contexts/guard-size:0",
    # Large buffers of all processes are one piece of memory of this size; the kernel maps at most 65530 pieces.
    "smpi/shared-malloc-blocksize:67108864",
)

#: Flows that share links; a message alone takes latency + bytes / bandwidth.
NETWORK_MODEL = "SMPI"


class Programs(NamedTuple):
    """`smpicc` and `smpirun` of one installation."""

    compiler: Path
    launcher: Path

    @property
    def version(self) -> str | None:
        """What `smpirun`, a script, states of itself, such as 4.1. Raises FileError if it cannot be read."""
        match = re.search(r"SimGrid version (\d[\d.]*)", read_text(self.launcher, INSTALL))
        return match[1] if match else None


def programs(declaration: StackDeclaration | None = None) -> Programs | None:
    """Return the programs to use, or None: of those of `install-simgrid.sh`, the newest first, then that of PATH, the
    first one of a version that the stack is declared for; if there is none, the first one.

    Raises FileError if others can write one of the user's cache, or its version cannot be read.
    """
    installed = list(_installed())
    declared = (one for one in installed if declaration and declaration.accepts(one.version or ""))
    return next(declared, installed[0] if installed else None)


def _installed() -> Iterator[Programs]:
    for prefix in sorted((marker.parent for marker in user_cache("simgrid").glob("*/complete")), key=_version)[::-1]:
        built = Programs(prefix / "bin" / "smpicc", prefix / "bin" / "smpirun")
        for path in (prefix, prefix / "bin", *built):
            refuse_writable_by_others(path)
        yield built
    compiler = shutil.which("smpicc")
    if compiler and Path(compiler).with_name("smpirun").is_file():
        yield Programs(Path(compiler), Path(compiler).with_name("smpirun"))


def _version(prefix: Path) -> list[int]:
    return [int(part) for part in prefix.name.split(".") if part.isdecimal()]


def resolve(declaration: StackDeclaration, machine: Machine | None, folder: Path) -> Toolchain:
    """Find the simulator and write the machine's files into `folder`. Raises FileError."""
    stack, simulator = declaration.stack, declaration.simulator
    if simulator is None or machine is None:
        raise FileError(f"stack {stack}: is simulated and needs a machine; name one in site.machine of the campaign")
    commands = programs(declaration)
    if commands is None:
        raise FileError(f"stack {stack}: SimGrid's smpicc and smpirun are not on the PATH; install them: {INSTALL}")
    write_platform(machine, folder)
    prefix = commands.compiler.resolve().parent.parent
    version = commands.version or "unknown"
    return Toolchain(
        declaration=declaration.model_copy(update={"version": version}),
        stack_source="simulated",
        prefix=str(prefix),
        cc=str(commands.compiler),
        launcher=_launcher(declaration, simulator, machine, prefix, folder),
        environment=sanitised(with_library(declaration.environment, prefix)),
        provenance=_provenance(version, simulator, machine),
    )


def with_library(environment: Environment, prefix: Path) -> Environment:
    """Return the environment in which programs find the library of the simulator: `smpicc` sets no run path."""
    return environment.model_copy(update={"prepend": environment.prepend | {"LD_LIBRARY_PATH": [str(prefix / "lib")]}})


def _launcher(
    declaration: StackDeclaration, simulator: Simulator, machine: Machine, prefix: Path, folder: Path
) -> Launcher:
    options = (*SETTINGS, *settings(machine), *machine.options, *simulator.options)

    def expand(template: list[str]) -> list[str]:
        program, *words = template
        filled = [program, *COMMON, *(f"--cfg={option}" for option in options), *words]
        return [word.replace("{prefix}", str(prefix)).replace("{machine}", str(folder)) for word in filled]

    launcher = declaration.launcher
    return Launcher(argv=expand(launcher.argv), placed=None if launcher.placed is None else expand(launcher.placed))


def simgrid_version() -> str | None:
    """Return the version of the newest SimGrid that is installed; None if there is none. Raises FileError."""
    newest = programs()
    return newest.version if newest else None


def _provenance(version: str, simulator: Simulator, machine: Machine) -> dict[str, str]:
    # A single argument: smpirun splits its arguments at blanks.
    properties = (f"simulator=SimGrid-{version}", f"network-model={NETWORK_MODEL}", f"selector={simulator.selector}")
    return {
        "simulation": ",".join([*properties, f"machine={machine.name}"]),
        "platform_sha256": hashlib.sha256(platform_xml(machine).encode()).hexdigest(),
    }
