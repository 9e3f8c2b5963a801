# SPDX-License-Identifier: BSD-3-Clause
"""`isochron reproduce` with real libraries: its programs compile without a warning, and show what a run found."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.schemas.engine.contract import contract
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Point
from isochron.workflows.reproducer.commands import FLAGS, Side
from isochron.workflows.reproducer.operations import NOT_PLAIN
from isochron.workflows.reproducer.program import make_program
from isochron.workflows.reproducer.threads import FLAG
from tests.end_to_end.conftest import Place

pytestmark = [pytest.mark.mpi, pytest.mark.campaign]

PLAIN = [one for one in contract().operations if one.group not in NOT_PLAIN]
DERIVED = {"ping-pong": "vector:4:2:8", "alltoallw": "indexed:3@0,1@8", "neighbor_allgather": "vector:4:2:8"}


def side(stack: str, place: Place, processes: int = 2) -> Side:
    """Return a stack of the run."""
    manifest = Manifest.load(place.run.manifest(stack))
    point = Point(processes=processes, processes_per_node=processes, placement="packed")
    return Side("slow", stack, manifest, point, oversubscribed=False, flags=[FLAG])


def write_programs(folder: Path, us: float = 1.0) -> list[str]:
    """Write a program of each operation, and of some with derived datatypes; return their names."""
    wanted = [(one.name, "auto") for one in PLAIN] + list(DERIVED.items())
    for operation, datatype in wanted:
        engine = EngineOptions(datatype=datatype)
        name = f"{operation}.{datatype.partition(':')[0]}.c"
        (folder / name).write_text(make_program(operation, 1024, 2, engine, us, "A is slower than B.", one_node=True))
    return sorted(path.name for path in folder.glob("*.c"))


@pytest.mark.parametrize("stack", ["openmpi-5.0", "mpich-5.0"])
def test_every_program_compiles_without_a_warning(stack: str, finished: Place, tmp_path: Path) -> None:
    names = write_programs(tmp_path)
    library = side(stack, finished)
    command = [library.manifest.cc, *FLAGS, *library.flags, "-c", *names]
    done = subprocess.run(
        command, cwd=tmp_path, env=library.environment(), capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[:2000]
    assert len(list(tmp_path.glob("*.o"))) == len(names) > 85


@pytest.mark.slow
@pytest.mark.parametrize("stack", ["openmpi-5.0", "mpich-5.0"])
def test_every_program_runs(stack: str, finished: Place, tmp_path: Path) -> None:
    library = side(stack, finished)
    for name in write_programs(tmp_path, us=1e6):
        subprocess.run(
            library.build(name, "./program"), cwd=tmp_path, env=library.environment(), check=True, capture_output=True
        )
        done = subprocess.run(
            library.launch("./program"), cwd=tmp_path, env=library.environment(), capture_output=True, text=True,
            check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, name + done.stderr
        assert "2 processes: median " in done.stdout, name


def test_a_finding_that_does_not_exist_is_refused(finished: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", str(finished.run.root), "scan-3"]) == 2
    error = capsys.readouterr().err
    assert "nothing to reproduce" in error or "no finding 'scan-3'" in error
    assert not finished.run.reproducers.exists()
