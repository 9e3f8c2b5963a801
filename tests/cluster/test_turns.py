# SPDX-License-Identifier: BSD-3-Clause
"""Turns on several hosts, each with shared memory of its own: steps of one allocation that overlap."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from isochron.schemas.run.launch_file import read_launch
from tests.cluster.virtual import VirtualCluster
from tests.engine.support import build_engine, wheels_stack

pytestmark = [pytest.mark.mpi, pytest.mark.slow]  # `make test` has the campaign of test_campaign.py

LIBRARIES = ("mpich-4.3", "mpich-5.0")


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The engine, built with libraries that find their neighbours by PMI-2."""
    return [build_engine(wheels_stack(name), tmp_path_factory.mktemp(name)) for name in LIBRARIES]


@pytest.mark.parametrize("nodes", [2, 4])
def test_two_libraries_take_turns(cluster: VirtualCluster, engines: list[Path], tmp_path: Path, nodes: int) -> None:
    """Rank 0 of both is on the first host: no turn begins there before the previous one has ended on all."""
    steps = [
        f"srun --overlap --mpi=pmi2 --ntasks={nodes} --nodes={nodes} {engine} --operations allreduce,bcast --sizes 8 "
        f"--passes 4 --stop reps --max-valid 32 --max-reps 64 --turns slurm --turn {index}/2 --turn-limit 60 "
        f"--expect-hosts {nodes} --output {tmp_path}/{index}.jsonl & "
        for index, engine in enumerate(engines)
    ]
    cluster.on(
        "login", "env", "FI_PROVIDER=tcp", "MPIR_CVAR_ENABLE_PROGRESS_YIELD=1",
        "salloc", f"--nodes={nodes}", f"--ntasks={nodes}", "bash", "-c", f"{''.join(steps)} wait",
    )  # fmt: skip
    found = [read_launch(tmp_path / f"{index}.jsonl").turns for index in range(2)]
    turns = sorted(
        (begin, end) for each in found if each is not None for begin, end in zip(each.t_ns, each.ends_ns, strict=True)
    )
    assert len(turns) == 2 * 2 * 4
    assert all(end <= begin for (_, end), (begin, _) in pairwise(turns))
    assert all(each is not None and each.lost == [] for each in found)
    for host in ("a1", "a2", "b1", "b2"):
        assert "isochron" not in cluster.on(host, "ls", "/dev/shm").stdout
