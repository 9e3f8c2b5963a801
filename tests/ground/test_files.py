# SPDX-License-Identifier: BSD-3-Clause
"""What is no file is never waited for: a pipe, a device, a folder, wherever a run or a person has one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.ground.files import FileError, read_bytes, read_text
from isochron.ground.sealed import heal, write_sealed
from isochron.postprocess.reading.store import read_table
from isochron.schemas.run.launch_file import damage, read_header, read_launch
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.workflows.driving.foreign import refuse_links
from isochron.workflows.driving.holder import Holder

NO_FILES: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
}

READERS: dict[str, Callable[[Path], object]] = {
    "text": lambda path: read_text(path, ""),
    "record": Plan.load,
    "launch": read_launch,
    "header": read_header,
}


@pytest.mark.parametrize("make", NO_FILES.values(), ids=NO_FILES.keys())
@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_what_is_no_file_is_refused_at_once(
    make: Callable[[Path], object], read: Callable[[Path], object], tmp_path: Path
) -> None:
    make(tmp_path / "x")
    with pytest.raises(FileError, match=f"{tmp_path / 'x'}: .*is no file"):
        read(tmp_path / "x")


@pytest.mark.parametrize("make", NO_FILES.values(), ids=NO_FILES.keys())
def test_what_is_asked_for_in_passing_is_not_there(make: Callable[[Path], object], tmp_path: Path) -> None:
    """A lock, a raw file that is only checked, a table, a copy from which a file would be restored."""
    run = RunLayout(tmp_path)
    for path in (tmp_path / ".lock", tmp_path / "raw", run.table("launches"), tmp_path / ".sealed.copy"):
        path.parent.mkdir(exist_ok=True)
        make(path)
    assert Holder.read(tmp_path / ".lock") is None
    assert "is no file" in damage(tmp_path / "raw")
    with pytest.raises(FileError, match="missing; run"):
        read_table(run, "launches")
    assert not heal(tmp_path / "sealed")


def test_a_sealed_file_that_became_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    write_sealed(tmp_path / "x", "content")
    (tmp_path / "x").unlink()
    os.mkfifo(tmp_path / "x")
    assert heal(tmp_path / "x"), "its copy is put in its place"
    assert (tmp_path / "x").read_text() == "content"


def test_a_pipe_in_a_run_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    os.mkfifo(tmp_path / "log" / "ingest.log")
    with pytest.raises(FileError, match=r"ingest\.log: is a pipe, a socket or a device"):
        refuse_links(RunLayout(tmp_path))


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"one\r\ntwo\xc3\xa4")
    assert read_bytes(tmp_path / "x") == b"one\r\ntwo\xc3\xa4"
    assert read_text(tmp_path / "x", "") == "one\ntwo\N{LATIN SMALL LETTER A WITH DIAERESIS}"
