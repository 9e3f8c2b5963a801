# SPDX-License-Identifier: BSD-3-Clause
"""The candle on several hosts, started by srun: each host has a network address and shared memory of its own."""

from itertools import pairwise
from pathlib import Path

from isochron.schemas.run.candle import read_candle
from tests.cluster.virtual import VirtualCluster
from tests.engine.candle.processes import build_candle
from tests.shared import Shared


def test_two_candles_take_turns_on_two_nodes(cluster: VirtualCluster, shared: Shared, tmp_path: Path) -> None:
    """Steps of one allocation that overlap; rank and size are Slurm's, the processes meet by files."""
    candle = shared("candle", build_candle) / "isochron-candle"
    (tmp_path / "meeting").mkdir()
    steps = [
        f"srun --overlap --ntasks=4 --nodes=2 --ntasks-per-node=2 {candle} --operations barrier,allreduce "
        f"--sizes 8,20KiB --passes 2 --batch 4 --turns candles --turn {index}/2 --turn-limit 60 --expect-ranks 4 "
        f"--rendezvous {tmp_path}/meeting --output {tmp_path}/{index}.jsonl & "
        for index in range(2)
    ]
    cluster.on("login", "salloc", "--nodes=2", "--ntasks-per-node=2", "bash", "-c", f"{''.join(steps)} wait")
    files = [read_candle(tmp_path / f"{index}.jsonl") for index in range(2)]
    assert [[host.ranks for host in file.header.hosts] for file in files] == [["0-1", "2-3"]] * 2
    assert len({host.name for file in files for host in file.header.hosts}) == 2
    begins = sorted((begin, index) for index, file in enumerate(files) for case in file.cases for begin in case.t_ns)
    turns = [{index for _, index in begins[i : i + 3]} for i in range(0, len(begins), 3)]
    assert [len(turn) for turn in turns] == [1] * 4, "a turn is all three cases of one candle"
    assert [turns[i] | turns[i + 1] for i in (0, 2)] == [{0, 1}] * 2
    assert all(first < second for (first, _), (second, _) in pairwise(begins))
    assert list((tmp_path / "meeting").iterdir()) == []
    for host in ("a1", "a2", "b1", "b2"):
        assert "isochron" not in cluster.on(host, "ls", "/dev/shm").stdout
