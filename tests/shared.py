# SPDX-License-Identifier: BSD-3-Clause
"""What is made once for all tests of a session, also where several processes of pytest-xdist share the session."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

#: Makes a folder by the first test that asks for it: shared(name, make).
Shared = Callable[[str, Callable[[Path], None]], Path]


def shared_by(factory: pytest.TempPathFactory) -> Shared:
    """Whoever comes second waits. A folder whose making failed is made again by the next test."""
    base = factory.getbasetemp()
    root = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"

    def once(name: str, make: Callable[[Path], None]) -> Path:
        root.mkdir(exist_ok=True)
        folder, done = root / name, root / f"{name}.done"
        with (root / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                done.touch()
        return folder

    return once
