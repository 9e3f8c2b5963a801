# SPDX-License-Identifier: BSD-3-Clause
"""Wrong command lines under a real mpiexec: one line, exit code 2, nothing written."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.schemas.engine.operations import OPERATIONS
from tests.engine.support import Finished, Mpi

pytestmark = pytest.mark.mpi

Run = Callable[..., Finished]

GOOD = {"--operations": "bcast", "--sizes": "8", "--output": "out.jsonl"}

BAD = [
    ({"--operations": "broadcast"}, "broadcast"),
    ({"--operations": "bcast,,reduce"}, "--operations"),
    ({"--operations": "bcast,bcast"}, "--operations"),
    ({"--operations": None}, "--operations"),
    ({"--sizes": None}, "--sizes"),
    ({"--output": None}, "--output"),
    ({"--sizes": "8:4:x2"}, "MIN"),
    ({"--sizes": "8,8"}, "--sizes"),
    ({"--sizes": "8KB"}, "8KB"),
    ({"--sizes": "1:1000000:+1"}, "--sizes"),
    ({"--sizes": "4GiB"}, "too many"),
    ({"--sizes": "6", "--datatype": "float"}, "float"),
    ({"--operations": "reduce", "--datatype": "byte"}, "byte"),
    ({"--root": "2"}, "--root"),
    ({"--root": "-1"}, "--root"),
    ({"--scheme": "windows"}, "--scheme"),
    ({"--scheme": "rotating-root", "--operations": "bcast,allreduce"}, "allreduce has no root"),
    ({"--scheme": "loop", "--arrival": "ascending"}, "--arrival"),
    ({"--buffers": "cool"}, "--buffers"),
    ({"--arrival": "one-late:"}, "--arrival"),
    ({"--rank-order": "list:absent"}, "absent"),
    ({"--clock-sync": "sundial"}, "--clock-sync"),
    ({"--sync-points": "2"}, "--sync-points"),
    ({"--sync-nodes": "some"}, "--sync-nodes"),
    ({"--test-clock": "seed"}, "--test-clock"),
    ({"--test-clock": "speed=1"}, "speed=1"),
    ({"--batch": "ten"}, "--batch"),
    ({"--trim": "0.6"}, "--trim"),
    ({"--alignment": "100"}, "--alignment"),
    ({"--min-valid": "50"}, "--min-valid"),
    ({"--append-header": "novalue"}, "K=V"),
    ({"--speed": "fast"}, "--speed"),
]


@pytest.mark.parametrize(("changes", "named"), BAD, ids=str)
def test_wrong_line(run_engine: Run, tmp_path: Path, changes: dict[str, str | None], named: str) -> None:
    """One line says what is wrong; every process exits 2; no file is made."""
    options = {**GOOD, **changes}
    words = [word for name, value in options.items() if value is not None for word in (name, value)]
    done = run_engine(*words)
    assert done.code == 2, done.err
    assert len(done.complaints) == 1, done.err
    assert named in done.complaints[0]
    assert done.out == ""
    assert list(tmp_path.iterdir()) == []


def test_information_needs_no_mpi(engine: Path, mpi: Mpi) -> None:
    """--help, --list and --version answer without a launcher."""
    texts = {}
    for option in ("--help", "--list", "--version"):
        done = subprocess.run([engine, option], env=mpi.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        texts[option] = done.stdout
    assert "example:" in texts["--help"] and "exit codes:" in texts["--help"]
    assert "--check\n" in texts["--help"]
    for hidden in ("--corrupt-rank", "--test-clock"):
        assert hidden not in texts["--help"]
    assert tuple(line.split()[0] for line in texts["--list"].splitlines()[1:]) == OPERATIONS
    lines = texts["--version"].splitlines()
    assert [line.split(" ")[0] for line in lines] == ["isochron-engine", "mpi-library:", "mpi-standard:", "compiler:"]
    assert "Open MPI" in lines[1]
