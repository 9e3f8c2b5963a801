# SPDX-License-Identifier: BSD-3-Clause
"""The files of processes → the profile of their job; and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.schemas.profile.profile import Profile, load_profile, merged
from isochron.schemas.profile.rank_file import read_rank_file
from tests.workflows.profiling.files import HEADER_BYTES, Made, Slot


def test_processes_are_added_class_by_class(tmp_path: Path) -> None:
    Made(0, slots=[Slot(calls=3, bytes=24, ticks=6000, fastest=800), Slot(operation=2, ticks=200, fastest=200)]).write(
        tmp_path
    )
    Made(1, slots=[Slot(calls=1, ticks=2000, fastest=2000)]).write(tmp_path)
    profile = merged(tmp_path, ["mpiexec", "solver"])
    bcast, send = profile.classes
    assert (bcast.operation, bcast.bytes, bcast.calls, bcast.processes, bcast.element) == ("bcast", 8, 4, 2, 1)
    assert bcast.seconds == pytest.approx(4e-6) and bcast.seconds_min == pytest.approx(1e-6)
    assert bcast.fastest_us == pytest.approx(0.4)
    assert (send.operation, send.calls, send.seconds) == ("send", 1, pytest.approx(1e-7))
    assert profile.mpi_seconds == pytest.approx(2.05e-6)
    assert (profile.counted, profile.finished, profile.seconds) == (2, 2, pytest.approx(1e-6))
    profile.save(tmp_path / "a.profile.json")
    assert (
        load_profile(tmp_path / "a.profile.json")
        == profile
        == load_profile(tmp_path).model_copy(update={"command": ["mpiexec", "solver"]})
    )


def test_a_bin_has_the_mean_of_its_sizes(tmp_path: Path) -> None:
    Made(slots=[Slot(binned=True, size=10, calls=4, bytes=4 * 1500)], processes=1).write(tmp_path)
    (own,) = merged(tmp_path).classes
    assert (own.bytes, own.exact) == (1500, False)


def test_an_unfinished_file_is_read_and_one_that_was_not_begun_is_left_out(tmp_path: Path) -> None:
    Made(0, finished=False).write(tmp_path)
    (tmp_path / "rank-1.isoprof").write_bytes(bytes(HEADER_BYTES))
    profile = merged(tmp_path)
    assert (profile.counted, profile.finished, profile.processes, profile.seconds) == (1, 0, 2, None)
    assert profile.classes[0].calls == 1


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (0, "is not a profile of a process"),
        (100, "is damaged (checksum of its header)"),
        (HEADER_BYTES + 8, "is damaged (checksum of its counters)"),
    ],
)
def test_a_damaged_file_is_refused(at: int, said: str, tmp_path: Path) -> None:
    path = Made().write(tmp_path)
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"rank-0\.isoprof: ") as refused:
        merged(tmp_path)
    assert said in str(refused.value)


def test_a_file_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    path = Made().write(tmp_path)
    path.write_bytes(path.read_bytes()[:-64])
    with pytest.raises(FileError, match="checksum of its counters"):
        read_rank_file(path)


def test_two_launches_in_one_folder_are_refused(tmp_path: Path) -> None:
    Made(0).write(tmp_path)
    replace(Made(1), program="other").write(tmp_path)
    with pytest.raises(FileError, match=r"rank-1\.isoprof: is of another launch than .*rank-0\.isoprof"):
        merged(tmp_path)


def test_a_folder_without_files_is_refused_with_what_to_look_at(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no process wrote a profile"):
        merged(tmp_path)


def test_a_profile_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.profile.json").write_text('{"schema_version": 2}')
    with pytest.raises(FileError, match="schema_version"):
        Profile.load(tmp_path / "x.profile.json")
