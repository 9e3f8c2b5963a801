# SPDX-License-Identifier: BSD-3-Clause
"""The candle started by the launchers of MPI libraries, alone and in turns with the engine."""

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from isochron.schemas.run.candle import read_candle
from tests.engine.support import Mpi, wheels_stack
from tests.engine.turns.residents import CASES, ROUNDS, TURN_LIMIT, Residents

pytestmark = pytest.mark.mpi


@pytest.mark.parametrize(("stack", "ranks"), [("openmpi-5.0", 2), ("openmpi-5.0", 5), ("mpich-5.0", 2)])
def test_rank_and_size_come_from_the_launcher(candle: Path, tmp_path: Path, stack: str, ranks: int) -> None:
    """Five processes share two cores here or more; each has a message for the data of the others."""
    mpi = wheels_stack(stack)
    words = ["--operations", "barrier,alltoall", "--sizes", "8,20KiB", "--batch", "4", "--output", "out.jsonl"]
    command = mpi.launch(ranks, [candle, *words, "--expect-ranks", str(ranks)])
    done = subprocess.run(command, cwd=tmp_path, env=mpi.env, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    header = read_candle(tmp_path / "out.jsonl").header
    assert header.processes == ranks and [host.ranks for host in header.hosts] == [f"0-{ranks - 1}"]


def test_a_wrong_number_is_refused_once(mpi: Mpi, candle: Path, tmp_path: Path) -> None:
    words = ["--operations", "barrier", "--output", "out.jsonl", "--expect-ranks", "3"]
    command = mpi.launch(2, [candle, *words])
    done = subprocess.run(command, cwd=tmp_path, env=mpi.env, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 3
    assert [line for line in done.stderr.splitlines() if line.startswith("isochron-candle")] == [
        "isochron-candle: --expect-ranks 3, but the launcher started 2; check its number of processes"
    ]


def test_in_turns_with_the_engine(residents: Residents, mpi: Mpi, candle: Path, tmp_path: Path) -> None:
    """Two engines and a candle: the same cases in the same rounds, one after the other."""
    words = ["--operations", "allreduce,barrier,bcast", "--sizes", "8", "--passes", str(ROUNDS), "--batch", "8"]
    turns = ["--turns", residents.name, "--turn", "2/3", "--turn-limit", TURN_LIMIT]
    turns += ["--output", "candle.jsonl", "--expect-ranks", "2"]
    command = mpi.launch(2, [candle, *words, *turns])
    started = subprocess.Popen(command, cwd=tmp_path, env=mpi.env, text=True, stderr=subprocess.PIPE)
    outcome = residents.run(3, absent=2)
    assert started.wait(timeout=300) == 0, started.communicate()[1]
    file = read_candle(tmp_path / "candle.jsonl")
    engines = [outcome.turns(index) for index in range(2)]
    assert [(case.operation, case.bytes) for case in file.cases] == list(
        zip(engines[0].operations, engines[0].bytes, strict=True)
    )
    assert file.header.turns is not None and (file.header.turns.rounds, file.header.turns.cases) == (ROUNDS, CASES)
    for number in range(ROUNDS * CASES):
        case_round, case = divmod(number, CASES)
        begins = sorted([(engine.t_ns[number], engine.ends_ns[number]) for engine in engines]
                        + [(file.cases[case].t_ns[case_round], 0)])  # fmt: skip
        assert all(end <= begin for (_, end), (begin, _) in pairwise(begins))
    assert all(each.lost == [] for each in engines) and not outcome.segment.exists()
