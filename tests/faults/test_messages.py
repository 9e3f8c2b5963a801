# SPDX-License-Identifier: BSD-3-Clause
"""Messages that name file, cause and remedy, where the system's own names none of them."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from isochron.common.files import FileError, replaced, write_atomically
from isochron.reframe_checks.make_stack import _compiler_error
from isochron.schemas.profile.profile import Profile, load_profile
from tests.workflows.profiling.files import Made, calls, profile_of


def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    """A write to an open file names none."""
    with pytest.raises(OSError, match="No space left on device") as caught, replaced(tmp_path / "a.json") as partial:
        partial.symlink_to("/dev/full")
        partial.write_text("content")
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path / "a.json"))
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_names_itself(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file") as caught:
        write_atomically(tmp_path / "file" / "a.json", "content")
    assert str(tmp_path / "file") in str(caught.value.filename)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            "rfm_build.sh: line 18: make: command not found\n",
            "the command make is not on PATH; install it, or add its ",
        ),
        ("main.c:3: error: x\nmake: *** [a.o] Error 1\n", "main.c:3: error: x: "),
        ("", ""),
    ],
)
def test_a_build_without_its_tools_says_which(tmp_path: Path, said: str, message: str) -> None:
    (tmp_path / "build.err").write_text(said)
    found = _compiler_error({"stagedir": str(tmp_path), "build_stderr": "build.err"})
    assert found.startswith(message) and bool(found) == bool(message)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((key, value) for key in ("processes", "counted", "bytes", "calls") for value in (10**30, 10**400, -1)),
        *((key, value) for key in ("seconds", "fastest_us") for value in (float("inf"), 10**400, -1)),
    ],
)
def test_a_number_that_no_profile_has(tmp_path: Path, key: str, value: float) -> None:
    document = json.loads(profile_of(calls("bcast", 8, 4, 1.0)).model_dump_json())
    (document if key in document and key != "seconds" else document["classes"][0])[key] = value
    path = tmp_path / "a.profile.json"
    path.write_text(json.dumps(document))
    with pytest.raises(FileError, match=rf"a\.profile\.json: (classes\[0\]\.)?{key}: "):
        Profile.load(path)


def test_files_of_processes_that_make_no_profile(tmp_path: Path) -> None:
    Made(0, processes=-1).write(tmp_path)
    with pytest.raises(FileError, match=r"processes: .*; profile the program again"):
        load_profile(tmp_path)
