# SPDX-License-Identifier: BSD-3-Clause
"""The network between hosts with a network of their own, and one of them with a firewall."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.schemas.run.launch_file import LaunchFile, read_launch
from tests.cluster.virtual import VirtualCluster
from tests.engine.support import build_engine, wheels_stack

pytestmark = [pytest.mark.mpi, pytest.mark.slow]

#: The kernel refuses every datagram that the host would send.
FIREWALL = ("ip", "rule", "add", "pref", "10", "ipproto", "udp", "prohibit")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine, built with an MPI library that finds its neighbours by PMI-2."""
    return build_engine(wheels_stack("mpich-5.0"), tmp_path_factory.mktemp("engine"))


def launch(cluster: VirtualCluster, engine: Path, raw: Path) -> LaunchFile:
    """A launch on two hosts, a process each."""
    cluster.on(
        "login", "env", "FI_PROVIDER=tcp", "MPIR_CVAR_ENABLE_PROGRESS_YIELD=1",
        "srun", "--mpi=pmi2", "--nodes=2", "--ntasks=2", "--nodelist=a1,a2", str(engine),
        "--operations", "allreduce", "--sizes", "8", "--stop", "time", "--time-budget", "3",
        "--expect-ranks", "2", "--expect-hosts", "2", "--output", str(raw),
    )  # fmt: skip
    return read_launch(raw)


def test_datagrams_where_they_pass_and_the_library_where_not(
    cluster: VirtualCluster, engine: Path, tmp_path: Path
) -> None:
    """The same two hosts before and after one of them has a firewall."""
    found = launch(cluster, engine, tmp_path / "open.jsonl")
    cluster.on("a2", *FIREWALL)
    behind = launch(cluster, engine, tmp_path / "closed.jsonl")
    for each, by, why in ((found, "udp", ""), (behind, "mpi", "1 of 1 pairs of hosts do not answer")):
        start, rows = each.header.probes, each.measurements
        assert start is not None and (start.network_by, start.network_pairs) == (by, 1)
        assert start.network_why_not.startswith(why) and bool(start.network_why_not) == bool(why)
        read = [value for row in rows if row.probes for value in row.probes.network_us if value is not None]
        spent = sum(row.probes.spent_ns for row in rows if row.probes) / each.footer.elapsed_ns
        print(f"{by}: {len(read)} readings of {sorted(read)[len(read) // 2]:.1f} µs, {100 * spent:.2f} % of the time")
        assert read and min(read) > 0
