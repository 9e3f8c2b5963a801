# SPDX-License-Identifier: BSD-3-Clause
"""A results folder on a file system without locks, links and changes of modes: the campaign completes all the same."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from isochron.schemas.run.layout import RunLayout, run_folders
from isochron.schemas.run.manifest import REBUILD
from tests.end_to_end.built import ONE, STACK
from tests.end_to_end.conftest import Place, assert_every_launch_is_stored_once

pytestmark = [pytest.mark.mpi, pytest.mark.campaign, pytest.mark.slow]

#: Says what the library does, so that a test that shows nothing fails.
PROOF = """
import fcntl, os, sys
for refused in (
    lambda: fcntl.flock(open("x", "w"), fcntl.LOCK_EX),
    lambda: os.link("x", "y"),
    lambda: os.chmod("x", 0o444),
    lambda: os.symlink("x", os.getcwd() + "/.latest.z"),
):
    try:
        refused()
    except OSError:
        print("refused")
"""


@pytest.fixture
def poor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place on such a file system, with the small campaign, whose engine is not taken from the cache."""
    compiler = shutil.which("cc")
    assert compiler is not None
    library, place = tmp_path / "poor.so", Place(tmp_path / "place")
    source = Path(__file__).parent / "shims" / "poor_file_system.c"
    subprocess.run([compiler, "-O2", "-fPIC", "-shared", "-o", str(library), str(source), "-ldl"], check=True)
    place.folder.mkdir()
    monkeypatch.setenv("LD_PRELOAD", str(library))
    monkeypatch.setenv("POOR", str(place.folder))
    monkeypatch.setenv(REBUILD, "1")
    return place


def test_without_locks_links_and_modes(poor: Place) -> None:
    proof = [poor.command()[0], "-c", PROOF]
    done = subprocess.run(proof, cwd=poor.folder, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["refused"] * 4
    poor.write(**ONE)
    done = poor.stored()
    assert done.returncode == 0, done.stdout + done.stderr
    (folder,) = run_folders(poor.folder / "results", "mini")
    assert_every_launch_is_stored_once(RunLayout(folder))
    assert not (folder.parent / "latest").is_symlink()
    assert (folder / "log" / "reframe" / f"build-{STACK}" / "report.json").is_file()
    assert not done.stderr
