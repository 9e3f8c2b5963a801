# SPDX-License-Identifier: BSD-3-Clause
"""What carries the messages is read from what each library printed; what nobody has seen is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.schemas.run.manifest import TransportReport
from isochron.spack_envs.declarations import load_declaration

RECORDED = Path(__file__).parent / "recorded"
UCX = "ucx tag(self/memory cma/memory) tag(sysv/memory cma/memory)"


def report(stack: str) -> TransportReport:
    described = load_declaration(stack).transport
    assert described is not None
    return described


@pytest.mark.parametrize(
    ("stack", "recorded", "transport"),
    [
        ("openmpi-4.1", "vader", "pml ob1, btl self sm"),
        ("openmpi-4.1", "ofi", "pml cm, provider tcp"),
        ("openmpi-5.0", "sm", "pml ob1, btl self sm"),
        ("openmpi-5.0", "tcp", "pml ob1, btl self tcp"),
        ("openmpi-5.0", "ucx", f"pml ucx, {UCX}"),
        ("mpich-4.3", "ofi", "provider tcp"),
        ("mpich-5.0", "ofi", "provider sockets"),
        ("mpich-5.0", "ucx", UCX),
        ("mpich-5.0", "ucx-tcp", "ucx tag(self/memory tcp/eth0) tag(tcp/eth0)"),
        ("intel-mpi-2021", "shm", "fabric shm"),
        ("intel-mpi-2021", "ofi", "fabric ofi, provider tcp"),
        ("intel-mpi-2021", "shm-ofi", "fabric shm-ofi, provider tcp"),
    ],
)
def test_a_transport_is_read_from_what_a_library_printed(stack: str, recorded: str, transport: str) -> None:
    lines = (RECORDED / f"transport-{stack}-{recorded}.txt").read_text().splitlines()
    assert report(stack).read(lines) == transport
    assert report(stack).read([f"3: {line}" for line in reversed(lines)]) == transport  # a launcher labels lines


@pytest.mark.parametrize(
    "line",
    [
        "[1566814148.941358] [host:3473 :0]     ucp_worker.c:1468 UCX  INFO  ep_cfg[1]: tag(self/memory cma/memory); ",
        "ucp_worker.c:1784 UCX  INFO    0x2d96740 self cfg#1tag(self/memory cma/memory) rma(sysv/memory)",
    ],
)
def test_the_lines_of_earlier_releases_of_ucx(line: str) -> None:
    for stack in ("openmpi-4.1", "mpich-4.3"):
        assert report(stack).read([line]) == "ucx tag(self/memory cma/memory)"


@pytest.mark.parametrize("stack", ["openmpi-4.1", "openmpi-5.0", "mpich-4.3", "mpich-5.0", "intel-mpi-2021"])
@pytest.mark.parametrize(
    "text",
    ["", "libfabric provider:", "selected", "mca: bml: Using", "\0\ufffd(", "cfg#1 tag(", "provider: tcp, score = 4"],
)
def test_an_unknown_text_states_no_transport(stack: str, text: str) -> None:
    assert report(stack).read([text, "no such component", text * 3]) == ""
