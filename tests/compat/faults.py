# SPDX-License-Identifier: BSD-3-Clause
"""The faults of a machine under which Snakemake and ReFrame need a change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest


def refuse_chmod(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on the file system refuses to change modes; a file that is not there is still an error of its own."""

    def refuse(path: str | Path, _mode: int, **_options: object) -> None:
        if not Path(path).exists():
            raise FileNotFoundError(path)
        raise PermissionError(path)

    monkeypatch.setattr(os, "chmod", refuse)


def is_refused(action: Callable[[], object]) -> bool:
    """Whether an action ends with a PermissionError."""
    try:
        action()
    except PermissionError:
        return True
    return False


class SettableClock:
    """The machine's time of day, which a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._offset = 0.0
        true_time = time.time
        monkeypatch.setattr(time, "time", lambda: true_time() + self._offset)

    def set_by(self, seconds: float) -> None:
        """Set the clock so many seconds ahead of the true time."""
        self._offset = seconds
