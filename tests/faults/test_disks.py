# SPDX-License-Identifier: BSD-3-Clause
"""A disk that is full or read-only: said in one message, and nothing half written is ever reliable."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.built import replace_launcher
from tests.end_to_end.conftest import Place
from tests.faults.support import RUN, assert_complete, completes, refused

pytestmark = pytest.mark.mpi

#: Fills the disk while its first launch runs.
FILLER = """#!/bin/bash
[ -e <folder>/calls ] && exec <real> "$@"
touch <folder>/calls
dd if=/dev/zero of=<folder>/ballast bs=4k 2> /dev/null
<real> "$@"
code=$?
rm <folder>/ballast
exit $code
"""


def fill(disk: Path, leave_kib: int) -> Path:
    """A file that leaves only so much of the disk."""
    ballast = disk / "ballast"
    subprocess.run(["dd", "if=/dev/zero", f"of={ballast}", "bs=4k"], capture_output=True, check=False)
    with ballast.open("r+b") as stream:
        stream.truncate(max(0, ballast.stat().st_size - leave_kib * 1024))
    return ballast


def test_full_while_a_raw_file_is_written(on_disk: Place) -> None:
    replace_launcher(on_disk, FILLER)
    first = on_disk.stored()
    assert refused(on_disk), "the launch on the full disk was not refused"
    if first.returncode == 0:
        assert_complete(on_disk)
    else:
        assert first.returncode == 1
        completes(on_disk)


@pytest.mark.slow
@pytest.mark.parametrize(("lost", "leave_kib"), [("store", 8), ("report", 150)])
def test_full_while_results_are_written(on_disk: Place, disk: Path, lost: str, leave_kib: int) -> None:
    completes(on_disk, report=True)
    for path in (on_disk.run.root / lost).iterdir():
        path.unlink()
    ballast = fill(disk, leave_kib)
    failed = on_disk.isochron("report", "mini")
    assert failed.returncode == 1
    assert "space" in failed.stderr
    assert not any((on_disk.run.root / lost).iterdir()), "something half written has its name"
    ballast.unlink()
    completes(on_disk, report=True)


@pytest.mark.slow
def test_read_only_results(on_disk: Place, disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    refusal = on_disk.isochron(*RUN)
    assert refusal.returncode == 1
    assert refusal.stderr.count("\n") == 1
    assert "Read-only file system" in refusal.stderr
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    completes(on_disk)
