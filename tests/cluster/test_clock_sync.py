# SPDX-License-Identifier: BSD-3-Clause
"""Clock synchronisation over a wide-area link: all hosts have this machine's clock, so the true offset is 0."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.conftest import Place
from tests.cluster.virtual import VirtualCluster
from workflows.schemas.launch_file import read_launch

pytestmark = pytest.mark.mpi


@pytest.mark.parametrize("method", ["linear", "ring"])
def test_the_bound_of_the_offset_holds(wide_cluster: VirtualCluster, tmp_path: Path, method: str) -> None:
    place = Place(tmp_path, wide_cluster)
    engine = {"max_runs": 12, "min_valid": 2, "wait": "sleep", "clock_sync": method}
    place.write(processes=[4], processes_per_node=[1], engine=engine, operations=["barrier"])
    done = place.isochron("run", "virtual.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    (raw,) = place.run.launches.glob("*.jsonl")
    launch = read_launch(raw)
    assert sorted(host.name for host in launch.header.hosts) == ["a1", "a2", "b1", "b2"]
    assert launch.clocks
    for clock in launch.clocks:
        for rank, offset, bound in zip(clock.ranks, clock.offset_ns, clock.bound_ns, strict=True):
            assert abs(offset) <= bound, f"{clock.phase}: rank {rank}: {offset} ns, bound {bound} ns"
        across = max(clock.bound_ns)
        assert across > 1e3, "a path of 2.5 ms cannot have a bound of nanoseconds"
