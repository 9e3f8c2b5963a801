# SPDX-License-Identifier: BSD-3-Clause
"""One `isochron run` for one run folder at a time, on all machines that see the folder.

The lock is the kernel's (flock), so a killed process leaves none behind; where the file system does not
carry it from host to host, what the file says about its holder decides (isochron.workflows.driving.holder): it is a
lease, which another driver takes over where there has been no sign of life for STALE_S.
What a killed driver left running is ended before the run goes on: a surviving `mpiexec` would
disturb every launch that follows.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from isochron.common import orphans
from isochron.common.files import FileError, open_file
from isochron.common.locks import lock
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.driving.holder import BEAT_S, Holder, file_age

#: Environment variable by which every process of a run is known.
RUN_VARIABLE = "ISOCHRON_RUN_FOLDER"

#: Seconds after which another driver, on another machine, sees who has written himself into the lock file.
SETTLE_S = 3.0


class Lost(FileError):
    """Another driver has taken the run over: this one was silent for too long."""


class Lock:
    """A held lock: a lease, of which a thread gives signs of life until it is released."""

    def __init__(self, path: Path, own: Holder, said: str = "") -> None:
        """`said`: what there is to say of a lease that was taken over."""
        self.path, self.said = path, said
        self._own = own
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raise Lost where the lease is another driver's by now."""
        there = Holder.read(self.path)
        if there is not None and there != self._own:
            raise Lost(
                f"{self.path.parent}: {there.label} has taken over this run, since this process gave no sign of life"
            )

    def release(self) -> None:
        """No more signs of life; the lock file names nobody, unless another driver has it."""
        self._over.set()
        self._thread.join()
        if Holder.read(self.path) == self._own:
            self.path.write_text("", encoding="utf-8")

    def _beat(self) -> None:
        while not self._over.wait(BEAT_S):
            with suppress(OSError):
                if Holder.read(self.path) == self._own:
                    os.utime(self.path)


@contextmanager
def run_lock(run: RunLayout) -> Iterator[Lock]:
    """Hold the lock of a run. Raises FileError where another process has it."""
    path = run.root / ".lock"
    with path.open("a+", encoding="utf-8") as stream:
        try:
            carried = lock(stream, wait=False)
        except BlockingIOError as error:
            raise FileError(_refusal(run, Holder.read(path))) from error
        earlier = Holder.read(path)
        if earlier is not None and earlier.lives(path):
            raise FileError(_refusal(run, earlier))
        said = f"{earlier.label} held this run and has ended ({_silence(path)}): taking it over" if earlier else ""
        own = Holder.this_process(run.root)
        own.write(path)
        if not carried:
            _settle(run, path, own)
        held = Lock(path, own, said)
        try:
            end_survivors(run)
            yield held
        finally:
            held.release()


def _settle(run: RunLayout, path: Path, own: Holder) -> None:
    """Where the file system has no locks: of drivers that began at the same time, the one that wrote last goes on."""
    time.sleep(SETTLE_S)
    there = Holder.read(path)
    if there != own:
        raise FileError(_refusal(run, there))


def _refusal(run: RunLayout, holder: Holder | None) -> str:
    who = holder.label if holder else "another process"
    return f"{run.root}: {who} is running this campaign ({_silence(run.root / '.lock')}); wait for it, or stop it"


def _silence(path: Path) -> str:
    """How long ago a holder gave its last sign of life."""
    return f"last sign of life {max(0, round(file_age(path)))} s ago"


def is_locked(run: RunLayout) -> str | None:
    """Who drives the run now, or None. QuestionPairs from any machine."""
    path = run.root / ".lock"
    holder = Holder.read(path)
    try:
        with open_file(path) as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return holder.label if holder else "another process"
    except OSError:
        return holder.label if holder and path.exists() and holder.lives(path) else None
    return holder.label if holder and holder.lives(path) else None


def end_survivors(run: RunLayout) -> int:
    """End every process on this host that belongs to the run, except this one. Returns how many there were."""
    return orphans.end(str(run.root), mark=RUN_VARIABLE)
