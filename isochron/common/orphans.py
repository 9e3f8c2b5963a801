# SPDX-License-Identifier: BSD-3-Clause
"""Ending what a call left behind: a surviving mpiexec would disturb the next measurement.

ReFrame, its job and the processes of MPI all put themselves into sessions and process groups of their
own, so that no signal to a group reaches all of them. What they share is their environment: each call
sets `ISOCHRON_WORK` in it. This module needs the standard library only; as a program it waits until
the call that holds a lock file is gone, however it ended, and then ends what that call started.
"""

import fcntl
import os
import signal
import sys
import time
from pathlib import Path

#: Set for everything that a call starts: the folder that it works in.
MARK = "ISOCHRON_WORK"

#: Seconds that the kernel gets to end a killed process.
PATIENCE = 30.0


def find(work: str, mark: str = MARK) -> list[int]:
    """Processes on this machine in whose environment `mark` names `work`, this one excepted."""
    entry = f"{mark}={work}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            environment = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if entry in environment and int(path.parent.name) != os.getpid():
            found.append(int(path.parent.name))
    return found


def end(work: str, grace: float = 5.0, mark: str = MARK) -> int:
    """Ask them to end (ReFrame then cancels its job), and kill those that have not after `grace` seconds.

    Returns the number of processes that were found at first. Raises TimeoutError where one cannot be ended.
    """
    found = find(work, mark)
    _send(found, signal.SIGTERM)
    deadline = time.monotonic() + grace
    left = find(work, mark)
    while left and time.monotonic() < deadline:
        time.sleep(0.02)
        left = find(work, mark)
    while left:
        if time.monotonic() > deadline + PATIENCE:
            raise TimeoutError(f"processes {left} of {work} cannot be ended; they would disturb the measurement")
        _send(left, signal.SIGKILL)
        time.sleep(0.02)
        left = find(work, mark)
    return len(found)


def _send(processes: list[int], number: signal.Signals) -> None:
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            continue


def main(lock: str, work: str) -> None:
    """Wait until the lock is free or, without locks in the file system, the caller is gone; then end what is left."""
    caller = os.getppid()
    with Path(lock).open(encoding="utf-8") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_SH)
        except OSError:
            while os.getppid() == caller:
                time.sleep(0.2)
        end(work)


if __name__ == "__main__":
    main(*sys.argv[1:])
