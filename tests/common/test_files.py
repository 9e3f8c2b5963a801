# SPDX-License-Identifier: BSD-3-Clause
"""What is no file is never waited for: a pipe, a device, a folder, wherever a run or a person has one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.common.documents import read_yaml
from isochron.common.files import FileError, read_bytes, read_lines, read_text, write_atomically
from isochron.common.sealed import heal, write_sealed
from isochron.postprocess.estimate.history_cache.cache import Archive, digest
from isochron.postprocess.estimate.history_cache.facts import facts_of_all
from isochron.postprocess.ingest.store import read_table
from isochron.schemas.profile.profile import Profile
from isochron.schemas.profile.rank_file import read_rank_file
from isochron.schemas.run.launch_file import damage, read_header, read_launch
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.provenance import Provenance, read_provenance, read_timers
from isochron.schemas.run.tools import read_printout_file
from isochron.workflows.driving.lock import Holder, is_locked
from isochron.workflows.driving.repair import refuse_links

NO_FILES: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
}

READERS: dict[str, Callable[[Path], object]] = {
    "text": lambda path: read_text(path, ""),
    "yaml": lambda path: read_yaml(path, ""),
    "record": Plan.load,
    "profile": Profile.load,
    "process": read_rank_file,
    "launch": read_launch,
    "header": read_header,
    "printout": read_printout_file,
}


@pytest.mark.parametrize("make", NO_FILES.values(), ids=NO_FILES.keys())
@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_what_is_no_file_is_refused_at_once(
    make: Callable[[Path], object], read: Callable[[Path], object], tmp_path: Path
) -> None:
    make(tmp_path / "x")
    with pytest.raises(FileError, match=f"{tmp_path / 'x'}: .*not a regular file"):
        read(tmp_path / "x")


@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_what_is_far_too_long_is_refused_at_once(read: Callable[[Path], object], tmp_path: Path) -> None:
    """3 GiB of zeros that take no place on the disk."""
    with (tmp_path / "x").open("wb") as stream:
        stream.truncate(3 << 30)
    with pytest.raises(
        FileError, match=f"{tmp_path / 'x'}: .*(exceed the limit|more than 128000000 bytes|more than 160000)"
    ):
        read(tmp_path / "x")


@pytest.mark.parametrize("make", NO_FILES.values(), ids=NO_FILES.keys())
def test_no_command_waits_for_what_lies_in_a_folder_of_results(
    make: Callable[[Path], object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the place of sums, provenance, timers, the lock, and a file of a process."""
    run = RunLayout(tmp_path / "results" / "a" / "b")
    for path in (run.store_sums, run.provenance("x"), run.root / "timers.txt", run.root / ".lock"):
        path.parent.mkdir(parents=True, exist_ok=True)
        make(path)
    assert digest(run) == ""
    assert read_provenance(run.provenance("x")) == Provenance()
    assert read_timers(run.root / "timers.txt") == []
    assert is_locked(run) is None
    make(tmp_path / "rank-0.isoprof")
    assert main(["profile", "--read", str(tmp_path)]) == 2
    assert "rank-0.isoprof: cannot be read: " in capsys.readouterr().err


def test_of_a_long_log_the_end_is_read(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as stream:
        stream.truncate(3 << 30)
        stream.seek(0, os.SEEK_END)
        stream.write(b"\nit failed\xff\n")
    assert read_lines(tmp_path / "log")[-1] == "it failed\N{REPLACEMENT CHARACTER}"


def test_json_that_is_nested_without_end_is_not_known(tmp_path: Path) -> None:
    """In the place of provenance, of a lock, and of facts that were kept."""
    for name in ("x.provenance", ".lock"):
        (tmp_path / name).write_text("[" * 200_000)
    kept = Archive(tmp_path / ".cache", "a").facts
    assert kept is not None
    kept.parent.mkdir(parents=True)
    kept.write_text("[" * 200_000)
    assert read_provenance(tmp_path / "x.provenance") == Provenance()
    assert Holder.read(tmp_path / ".lock") is None
    assert facts_of_all([], Archive(tmp_path / ".cache", "a")) == []


@pytest.mark.parametrize("target", [".", "values", "values/campaign=a", "courses", "facts"])
def test_nothing_is_kept_through_a_link(target: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    link = tmp_path / "results" / ".cache" / target  # `.`: the archive itself
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(tmp_path / "mine")
    with pytest.raises(FileError, match=r"is a symbolic link, to '.*mine': files would be written elsewhere"):
        Archive(tmp_path / "results" / ".cache", "a")


def test_a_link_at_the_place_of_a_partial_file_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / f".x.{os.getpid()}.partial").symlink_to(tmp_path / "mine")
    write_atomically(tmp_path / "x", "new")
    assert [(tmp_path / name).read_text() for name in ("mine", "x")] == ["mine", "new"]


@pytest.mark.parametrize("make", NO_FILES.values(), ids=NO_FILES.keys())
def test_what_is_asked_for_in_passing_is_not_there(make: Callable[[Path], object], tmp_path: Path) -> None:
    """A lock, a raw file that is only checked, a table, a copy from which a file would be restored."""
    run = RunLayout(tmp_path)
    for path in (tmp_path / ".lock", tmp_path / "raw", run.table("launches"), tmp_path / ".sealed.copy"):
        path.parent.mkdir(exist_ok=True)
        make(path)
    assert Holder.read(tmp_path / ".lock") is None
    assert "not a regular file" in damage(tmp_path / "raw")
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
