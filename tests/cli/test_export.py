# SPDX-License-Identifier: BSD-3-Clause
"""`isochron export` of a run whose files were damaged, changed, or come from somebody else: refused in one line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.common.files import FileError
from isochron.postprocess.__main__ import main as postprocess
from isochron.postprocess.formatting.spreadsheet import read_csv
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.ingest.store import read_table
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.outputs import outputs_problem, record_outputs
from tests.postprocess.synthetic import Spec, write_run

SPEC = Spec(stacks=["mpich-5.0"], operations=["bcast"], sizes=[8], processes=[4], launches=2, runs=4)


@pytest.fixture
def run(tmp_path: Path) -> RunLayout:
    """A run with a report of two files and a table, as `isochron report` leaves them."""
    layout = RunLayout(write_run(tmp_path / "results" / "synthetic" / "r1", SPEC))
    for path, content in (
        (layout.summary, "a,b\n1,2.5\n"),
        (layout.tables / "findings.json", "{}"),
        (layout.report, "x"),
    ):
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    record_outputs(layout)
    return layout


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/hostname")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe": (pipe, "is a pipe, a socket or a device"),
    "link": (link, "is a symbolic link, to '/etc/hostname'"),
    "digit": (lambda path: path.write_text("a,b\n1,2.4\n"), "is damaged or lost, or was changed after it was written"),
    "empty": (lambda path: path.write_text(""), "is damaged or lost, or was changed after it was written"),
    "lost": (Path.unlink, "is damaged or lost, or was changed after it was written"),
}


@pytest.mark.parametrize("form", ["json", "xlsx"])
@pytest.mark.parametrize("name", ["tables/summary.csv", "tables/findings.json"])
@pytest.mark.parametrize(("damage", "said"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_changed_or_foreign_file_is_not_exported(
    run: RunLayout, damage: Callable[[Path], object], said: str, name: str, form: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    damage(run.root / name)
    assert main(["export", str(run.root), f"--{form}", "--output", str(tmp_path / "out")]) == 2
    assert f"{run.root / name}: {said}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", [b"", b"x", b"0" * 64 + b"  tables/summary.csv\n"])
def test_damaged_hashes_are_refused(run: RunLayout, content: bytes) -> None:
    assert outputs_problem(run) == ""
    run.outputs.write_bytes(content)
    assert "`isochron report` makes it again" in outputs_problem(run)


def test_a_table_that_nobody_recorded_is_named(run: RunLayout) -> None:
    (run.tables / "more.csv").write_text("a\n")
    assert outputs_problem(run).startswith(f"{run.tables / 'more.csv'}: was not written by Isochron")


def test_a_table_is_read_without_waiting_for_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.csv")
    with pytest.raises(OSError, match="not a regular file"):
        read_csv(tmp_path / "x.csv")


def test_no_changed_table_of_the_store_is_read(run: RunLayout) -> None:
    assert postprocess(["ingest", str(run.root)]) == 0
    path = run.table("measurements")
    content = path.read_bytes()
    assert len(read_table(run, "measurements"))
    for at in range(0, len(content), len(content) // 20):
        path.write_bytes(bytes([*content[:at], content[at] ^ 1, *content[at + 1 :]]))
        with pytest.raises(FileError, match=r"measurements\.parquet: is not what tables\.sha256 has"):
            read_table(load_inputs(run.root).layout, "measurements")
