# SPDX-License-Identifier: BSD-3-Clause
"""A built run of one stack, copied for each fault, and a small disk of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.built import ONE, build
from tests.end_to_end.conftest import Place, copied
from tests.faults.support import completes
from tests.shared import Shared


@pytest.fixture(scope="session")
def built(shared: Shared) -> Place:
    """A campaign of one stack and one block, planned and built. Not to be changed."""
    return Place(shared("built", lambda folder: void(build(Place(folder), ONE))))


def void(_value: object) -> None:
    """Forget a value."""


@pytest.fixture(scope="session")
def measured(built: Place, shared: Shared) -> Place:
    """The same, measured and stored. Not to be changed."""
    return Place(shared("measured", lambda folder: completes(copied(built, folder))))


@pytest.fixture
def place(built: Place, tmp_path: Path) -> Place:
    """A copy of it, ready to be measured."""
    return copied(built, tmp_path / "here")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 48 MiB, to be filled or made read-only."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(folder)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("needs the right to mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def on_disk(built: Place, disk: Path) -> Place:
    """A copy of the built run on the small disk."""
    return copied(built, disk / "here")
