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
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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


def end_survivors(run: RunLayout) -> list[int]:
    """Kill every process on this host that belongs to the run but not to this process. Returns their ids."""
    mark = f"{RUN_VARIABLE}={run.root}".encode()
    ended: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        pid = int(folder.name)
        if pid == os.getpid():
            continue
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(pid, signal.SIGKILL)
                ended.append(pid)
    _wait_for_end(ended)
    return ended


def _wait_for_end(pids: list[int], seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and any(_alive(pid) for pid in pids):
        time.sleep(0.02)


def _alive(pid: int) -> bool:
    """Whether a process still runs; one that has ended and was not waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
