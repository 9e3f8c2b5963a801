# SPDX-License-Identifier: BSD-3-Clause
"""Too little memory for what is made of the raw files: one line that says how much is needed, and nothing half made."""

from __future__ import annotations

import re
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from isochron.common import memory
from isochron.common.children import python
from isochron.common.memory import LIBRARIES, MIB
from isochron.postprocess import __main__ as postprocess
from isochron.postprocess.ingest import ingest
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.driving.repair import _remove_partial_files
from tests.postprocess.conftest import SMALL
from tests.postprocess.synthetic import write_run

STEPS = ("ingest", "analyse", "render")


def under(bytes_: int, step: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A step whose address space is limited."""
    return subprocess.run(
        python("-m", "isochron.postprocess", step, str(folder)),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_)),
        capture_output=True,
        text=True,
        check=False,
    )


def files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


@pytest.mark.process
@pytest.mark.parametrize("step", STEPS)
def test_a_limit_that_the_libraries_do_not_fit_into(step: str, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", SMALL)
    before = files(run)
    for mib in (150, 500, 1000):
        done = under(mib * MIB, step, run)
        assert done.returncode == 1 and done.stdout == ""
        assert done.stderr.count("\n") == 1, done.stderr
        said = rf"postprocess {step}: the limit of {mib} MiB is too little: about (\d+) MiB are needed; raise the limit"
        needed = re.match(said, done.stderr)
        assert needed is not None and int(needed[1]) >= LIBRARIES // MIB, done.stderr
    assert files(run) == before


@pytest.mark.process
@pytest.mark.slow
def test_a_limit_that_they_fit_into(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", SMALL)
    for step in STEPS:
        done = under(LIBRARIES, step, run)
        assert done.returncode == 0, done.stderr
    assert RunLayout(run).report.is_file()


def arrow_error() -> Exception:
    return pa.ArrowException("Unknown error: Failed to launch worker thread: Resource temporarily unavailable")


WANTS: dict[str, Callable[[], Exception]] = {
    "Python": MemoryError,
    "Arrow": lambda: pa.ArrowMemoryError("malloc of size 64 failed"),
    "a thread": arrow_error,
    "a library": lambda: ImportError("libx.so: failed to map segment from shared object"),
    "the kernel": lambda: OSError(12, "Cannot allocate memory"),
}


@pytest.mark.parametrize("want", WANTS.values(), ids=WANTS.keys())
def test_memory_that_ends_in_the_middle(
    tmp_path: Path, want: Callable[[], Exception], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = write_run(tmp_path / "run", SMALL)
    assert postprocess.main(["ingest", str(run)]) == 0
    RunLayout(run).store_sums.unlink()  # so that all is read again
    before = {path: path.read_bytes() for path in files(run)}

    def fails(_files: object) -> object:
        raise want()

    monkeypatch.setattr(ingest, "rep_columns", fails)
    monkeypatch.setattr(memory, "limit", lambda: 2 * LIBRARIES)
    monkeypatch.setattr(memory, "FEW_THREADS", {})
    assert postprocess.main(["ingest", str(run)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("postprocess ingest: the limit of 2048 MiB is too little: about 4096 MiB are needed")
    assert said.count("\n") == 1
    assert {path: path.read_bytes() for path in files(run)} == before


def test_what_is_no_want_of_memory_stays_what_it_is() -> None:
    with pytest.raises(ImportError, match="no module"), memory.enough_memory(0):
        raise ImportError("no module")


def test_halves_that_a_killed_step_has_left_are_removed(tmp_path: Path) -> None:
    run = RunLayout(tmp_path)
    run.tables.mkdir()
    dead, alive = run.tables / f".x.csv.{2**22 - 1}.partial", run.tables / ".x.csv.1.partial"
    for path in (dead, alive, run.tables / "x.csv"):
        path.touch()
    _remove_partial_files(run)
    assert sorted(run.tables.iterdir()) == [alive, run.tables / "x.csv"]
