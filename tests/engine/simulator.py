# SPDX-License-Identifier: BSD-3-Clause
"""Simulated machines (SimGrid SMPI) and the engine on them."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engine.support import read_records, simulator

HEAD = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
"""
CONFIGURATION = (
    "smpi/simulate-computation:no",
    "smpi/host-speed:1Gf",
    "smpi/wtime:1e-8",
    "contexts/factory:raw",
    "network/crosstraffic:0",
)


@dataclass(frozen=True)
class Machine:
    """A platform, the host of each rank, and settings of the simulator."""

    platform: str
    hosts: tuple[str, ...]
    settings: tuple[str, ...] = ()


def cluster(processes: int, per_node: int = 4) -> Machine:
    """One cluster: 1 us and 5 GB/s between nodes, ranks in blocks."""
    platform = f"""{HEAD}
  <cluster id="c" prefix="n" suffix="" radical="0-{max(15, processes // per_node)}" speed="10Gf" bw="5GBps" lat="1us"
           loopback_bw="6GBps" loopback_lat="0.5us"/>
</platform>
"""
    hosts = tuple(f"n{rank // per_node}" for rank in range(processes))
    return Machine(platform, hosts, SHORT_LISTS if processes >= MANY else ())


#: A linear gather of 1024 ranks takes SimGrid 3.32 seconds, and a launch has several; a binomial one does not.
SHORT_LISTS = ("smpi/gather:ompi_binomial",)
MANY = 256


def two_sites(hosts: Sequence[str], one_way_ms: float, eager_bytes: int, between: str = "10Gbps") -> Machine:
    """Eight nodes a site (a0-a7, b0-b7), gigabit within; messages up to eager_bytes do not wait."""
    site = (
        '<cluster id="{0}" prefix="{0}" suffix="" radical="0-7" speed="10Gf" bw="1Gbps" lat="25us"'
        ' sharing_policy="SPLITDUPLEX" bb_bw="100Gbps" bb_lat="0us" bb_sharing_policy="FATPIPE" router_id="r{0}"/>'
    )
    route = (
        '<zoneRoute src="{0}" dst="{1}" gw_src="r{0}" gw_dst="r{1}" symmetrical="NO">'
        '<link_ctn id="wan" direction="{2}"/></zoneRoute>'
    )
    parts = [
        '<zone id="world" routing="Full">',
        site.format("a"),
        site.format("b"),
        f'<link id="wan" bandwidth="{between}" latency="{one_way_ms}ms" sharing_policy="SPLITDUPLEX"/>',
        route.format("a", "b", "UP"),
        route.format("b", "a", "DOWN"),
        "</zone></platform>\n",
    ]
    settings = (
        f"smpi/async-small-thresh:{eager_bytes}",
        "smpi/lat-factor:0:1",
        "smpi/bw-factor:0:1",
        "smpi/bcast:binomial_tree",
    )
    return Machine(HEAD + "\n".join(parts), tuple(hosts), settings)


def simulate_on(
    machine: Machine, engine: Path, folder: Path, *words: str, timeout: float = 900
) -> subprocess.CompletedProcess[str]:
    """Runs the engine on every rank of the machine."""
    return simulate_program(machine, [engine, "--wait", "sleep", *words], folder, timeout=timeout)


def simulate_program(
    machine: Machine, program: Sequence[str | Path], folder: Path, timeout: float = 900, preload: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a program, given with its words, on every rank of the machine, with a library loaded before it."""
    (folder / "platform.xml").write_text(machine.platform)
    (folder / "hosts").write_text("".join(f"{host}\n" for host in machine.hosts))
    command = ["smpirun", "-np", str(len(machine.hosts)), "-platform", "platform.xml", "-hostfile", "hosts"]
    command += ["-no-privatize", "--log=root.thresh:error"]
    command += [f"--cfg={entry}" for entry in (*CONFIGURATION, *machine.settings)]
    command += map(str, program)
    environment = simulator().env | ({} if preload is None else {"LD_PRELOAD": str(preload)})
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


def records_on(machine: Machine, engine: Path, folder: Path, *words: str, timeout: float = 900) -> list[dict[str, Any]]:
    """The records of a run that succeeds."""
    done = simulate_on(machine, engine, folder, "--output", "out.jsonl", *words, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return read_records(folder / "out.jsonl")


def simulate(engine: Path, folder: Path, processes: int, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs the engine on the cluster, four processes a node."""
    return simulate_on(cluster(processes), engine, folder, *words)


def simulated_records(engine: Path, folder: Path, processes: int, *words: str) -> list[dict[str, Any]]:
    """The records of a run on the cluster."""
    return records_on(cluster(processes), engine, folder, *words)
