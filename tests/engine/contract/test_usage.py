# SPDX-License-Identifier: BSD-3-Clause
"""Wrong command lines under a real mpiexec: one line, exit code 2, nothing written."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.schemas.engine.contract import OPERATIONS
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
    ({"--scheme": "loop", "--operations-per-rep": "2"}, "--batch"),
    ({"--arrival": "ascending", "--operations-per-rep": "2"}, "--arrival"),
    ({"--overlap": "--check", "--operations-per-rep": "2"}, "--overlap"),
    ({"--buffered-sends": "--check", "--operations-per-rep": "2"}, "--buffered-sends"),
    ({"--buffers": "cool"}, "--buffers"),
    ({"--arrival": "one-late:"}, "--arrival"),
    ({"--rank-order": "list:absent"}, "absent"),
    ({"--groups": "thirds"}, "--groups"),
    ({"--groups": "active:3"}, "too few"),
    ({"--groups": "size:1", "--root": "1"}, "smallest of the groups"),
    ({"--group-size": "2"}, "would ignore it"),
    ({"--clock-sync": "sundial"}, "--clock-sync"),
    ({"--sync-points": "2"}, "--sync-points"),
    ({"--sync-nodes": "some"}, "--sync-nodes"),
    ({"--test-clock": "seed"}, "--test-clock"),
    ({"--test-clock": "speed=1"}, "speed=1"),
    ({"--batch": "ten"}, "--batch"),
    ({"--trim": "0.6"}, "--trim"),
    ({"--alignment": "100"}, "--alignment"),
    ({"--min-valid": "500"}, "--min-valid"),
    ({"--append-header": "novalue"}, "K=V"),
    ({"--speed": "fast"}, "--speed"),
]


#: An mpiexec whose processes fail takes a second to end: each kind of complaint once, and all of them each night.
OFTEN = ("broadcast", "--output", "--root", "allreduce has no root", "absent", "speed=1", "K=V", "--speed")


def words_of(changes: dict[str, str | None]) -> list[str]:
    options = {**GOOD, **changes}
    return [word for name, value in options.items() if value is not None for word in (name, value)]


@pytest.mark.parametrize(
    ("changes", "named"),
    [pytest.param(*each, marks=() if each[1] in OFTEN else pytest.mark.slow) for each in BAD],
    ids=str,
)
def test_wrong_line(run_engine: Run, tmp_path: Path, changes: dict[str, str | None], named: str) -> None:
    """One line says what is wrong; every process exits 2; no file is made."""
    done = run_engine(*words_of(changes))
    assert done.code == 2, done.err
    assert len(done.complaints) == 1, done.err
    assert named in done.complaints[0]
    assert done.out == ""
    assert list(tmp_path.iterdir()) == []


def test_wrong_lines_are_told_without_mpi(engine: Path, mpi: Mpi, tmp_path: Path) -> None:
    """The same words by --check-options, which needs no output file."""
    for changes, named in BAD:
        command = [engine, "--check-options", "--expect-ranks", "2", *words_of(changes)]
        done = subprocess.run(command, cwd=tmp_path, env=mpi.env, capture_output=True, text=True, check=False)
        if "--output" in changes:
            assert done.returncode == 0, done.stderr
            continue
        (complaint,) = done.stderr.splitlines()
        assert done.returncode == 2 and named in complaint and done.stdout == ""
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
