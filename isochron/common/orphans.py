# SPDX-License-Identifier: BSD-3-Clause
"""Ending the processes that a call left behind: a surviving mpiexec would disturb the next measurement.

ReFrame, its job and the processes of MPI all create new sessions and process groups, so no signal to a
group reaches all of them. They share their environment, in which each call sets `ISOCHRON_WORK`. This
module needs the standard library only; as a program it waits until the call that holds a lock file has
ended, in whatever way, and then ends the processes that the call started.
"""

import fcntl
import os
import signal
import sys
import time
from pathlib import Path

#: Environment variable of every process that a call starts: the folder in which it works.
MARK = "ISOCHRON_WORK"

#: Seconds that the kernel gets to end a killed process.
PATIENCE = 30.0


def find(work: str, mark: str = MARK) -> list[int]:
    """Return the processes of this machine in whose environment `mark` is `work`, except this one."""
    entry = f"{mark}={work}".encode()
    pids = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            environment = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if entry in environment and int(path.parent.name) != os.getpid():
            pids.append(int(path.parent.name))
    return pids


def end(work: str, grace: float = 5.0, mark: str = MARK) -> int:
    """Terminate the processes of `work` (ReFrame then cancels its job), and kill them after `grace` seconds.

    Returns the number of processes at the beginning. Raises TimeoutError if one cannot be ended.
    """
    pids = find(work, mark)
    _send(pids, signal.SIGTERM)
    deadline = time.monotonic() + grace
    remaining = find(work, mark)
    while remaining and time.monotonic() < deadline:
        time.sleep(0.02)
        remaining = find(work, mark)
    while remaining:
        if time.monotonic() > deadline + PATIENCE:
            raise TimeoutError(f"processes {remaining} of {work} cannot be ended; they would disturb the measurement")
        _send(remaining, signal.SIGKILL)
        time.sleep(0.02)
        remaining = find(work, mark)
    return len(pids)


def _send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def main(lock: str, work: str) -> None:
    """Wait until the lock is free or, if the file system has no locks, the caller has ended; then end the orphans."""
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
