# SPDX-License-Identifier: BSD-3-Clause
"""One `isochron run` for one run folder at a time.

The lock is the kernel's (flock), so a killed process leaves none behind; the file says who holds it.
What a killed driver left running is ended before the run goes on: a surviving `mpiexec` would
disturb every launch that follows.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reframe_checks import survivors
from workflows.schemas.base import FileError
from workflows.schemas.layout import RunLayout

#: Environment variable by which every process of a run is known.
RUN_VARIABLE = "ISOCHRON_RUN_FOLDER"


@contextmanager
def run_lock(run: RunLayout) -> Iterator[None]:
    """Hold the lock of a run. Raises FileError where another process has it."""
    path = run.root / ".lock"
    with path.open("a+") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise FileError(f"{run.root}: {_holder(path)} is running this campaign; wait for it, or stop it") from error
        stream.seek(0)
        stream.truncate()
        json.dump({"pid": os.getpid(), "host": socket.gethostname(), "since": time.time()}, stream)
        stream.flush()
        end_survivors(run)
        yield


def is_locked(run: RunLayout) -> str | None:
    """Who drives the run now, or None."""
    path = run.root / ".lock"
    try:
        with path.open("r") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(path)
    except OSError:
        return None
    return None


def _holder(path: Path) -> str:
    try:
        holder = json.loads(path.read_text())
        return f"process {holder['pid']} on {holder['host']}"
    except (OSError, ValueError, KeyError):
        return "another process"


def end_survivors(run: RunLayout) -> int:
    """End every process on this host that belongs to the run, except this one. Returns how many there were."""
    return survivors.end(str(run.root), mark=RUN_VARIABLE)
