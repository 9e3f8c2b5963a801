# SPDX-License-Identifier: BSD-3-Clause
"""Clock synchronisation over a wide-area link: all hosts have this machine's clock, so the truth is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isochron.schemas.run.launch_file import read_launch
from tests.cluster.virtual import VirtualCluster
from tests.engine.support import build_engine, wheels_stack

pytestmark = [pytest.mark.mpi, pytest.mark.slow]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine, built with an MPI library that finds its neighbours by PMI-2."""
    return build_engine(wheels_stack("mpich-5.0"), tmp_path_factory.mktemp("engine"))


@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("method", ["linear", "ring"])
def test_the_bound_of_every_rank_holds(
    wide_cluster: VirtualCluster, engine: Path, tmp_path: Path, method: str, offset: int
) -> None:
    """Clocks as they are (the true offset is 0), and with known offsets of up to a second."""
    raw = tmp_path / "raw.jsonl"
    wide_cluster.on(
        "login", "env", "FI_PROVIDER=tcp",
        "srun", "--mpi=pmi2", "--nodes=4", "--ntasks=4", str(engine),
        "--operations", "barrier", "--sizes", "0", "--max-reps", "12", "--min-valid", "2", "--wait", "sleep",
        "--clock-sync", method, "--test-clock", f"seed=1,offset-s={offset},one-clock=1",
        "--expect-ranks", "4", "--expect-hosts", "4", "--output", str(raw),
    )  # fmt: skip
    launch = read_launch(raw)
    assert sorted(host.name for host in launch.header.hosts) == ["a1", "a2", "b1", "b2"]
    clocks = [record for line in raw.read_text().splitlines() if (record := json.loads(line))["record"] == "clock"]
    assert {clock["phase"] for clock in clocks} == {"before", "after"}
    for clock in clocks:
        truth = clock["truth"]
        print(method, clock["phase"], truth)
        for rank, (error, bound) in enumerate(zip(truth["error_ns"], truth["bound_ns"], strict=True)):
            assert abs(error) <= bound, f"{clock['phase']}: rank {rank} is off by {error} ns, stated {bound} ns"
        assert max(truth["bound_ns"]) > 1e6, "half of a way of 2.5 ms and back is not known better"
