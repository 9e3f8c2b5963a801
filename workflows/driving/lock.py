# SPDX-License-Identifier: BSD-3-Clause
"""One `isochron run` per run folder at a time, on all machines that share the folder.

flock alone is not enough: on some shared file systems it holds on one host only. So the lock file says
who holds it, and its modification time is the holder's heartbeat.

The lock is the kernel's (flock), so a killed process leaves none behind; where the file system does not
carry it from host to host, what the file says about its holder decides (isochron.workflows.driving.lock): it is a
lease, which another driver takes over where there has been no sign of life for STALE_S.
What a killed driver left running is ended before the run goes on: a surviving `mpiexec` would
disturb every launch that follows.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from isochron.common import orphans
from isochron.common.files import FileError, file_system_time, lock, open_file, read_bytes
from isochron.schemas.run.layout import RunLayout

#: Seconds between two signs of life, and without one after which a holder on another machine is given up.
BEAT_S, STALE_S = 15.0, 120.0


def boot_id() -> str:
    """The kernel's name of this boot: process numbers mean nothing beyond it."""
    return _read("/proc/sys/kernel/random/boot_id")


def namespace() -> str:
    """The kernel's name of the process numbers that are seen here."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def process_start(pid: int) -> str:
    """Start time of a process in ticks since boot; empty where there is none. Process numbers come again."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return "" if len(fields) < 20 or fields[0] == "Z" else fields[19]


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


@dataclass(frozen=True)
class Holder:
    """Content of the lock file while the lock is held; a released one is empty."""

    pid: int
    host: str
    boot: str
    started: str
    folder: str
    since: float
    #: Process numbers mean nothing beyond it, either: containers on one machine have a namespace each.
    namespace: str = ""

    @classmethod
    def this_process(cls, folder: Path) -> Holder:
        """The holder that we would be."""
        pid = os.getpid()
        return cls(pid, socket.gethostname(), boot_id(), process_start(pid), str(folder), time.time(), namespace())

    @classmethod
    def read(cls, path: Path) -> Holder | None:
        """Who is written in the lock file; None where nobody is, or nobody that can be made out."""
        try:
            content = json.loads(read_bytes(path))
            checksum = content.pop("checksum", None)  # earlier versions wrote none
            holder = cls(**content)
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return None
        return holder if checksum in (None, holder.checksum) else None

    def write(self, path: Path) -> None:
        """Write into the lock file, in place: its inode carries the kernel's lock."""
        path.write_text(json.dumps({**asdict(self), "checksum": self.checksum}), encoding="utf-8")

    @property
    def checksum(self) -> str:
        """CRC-32 of the rest: a bit that has changed would make another machine of this one, which is waited for."""
        return f"{zlib.crc32(json.dumps(asdict(self)).encode()):08x}"

    @property
    def label(self) -> str:
        """For people."""
        return f"process {self.pid} on {self.host}"

    def lives(self, path: Path) -> bool:
        """Whether the holder written in `path` still works on the folder in which the file lies.

        On this machine the process itself is looked at; a copy of the folder took the file with it, but not
        the process. On another machine, and in another container on this one, only the heartbeat can tell.
        """
        if self.host == socket.gethostname():
            if self.boot != boot_id():
                return False
            if self.namespace in ("", namespace()):
                return self.folder == str(path.parent) and self.started == process_start(self.pid) != ""
        return file_age(path) < STALE_S


def file_age(path: Path) -> float:
    """Seconds since the file was changed, by the clock of the file system: hosts' clocks differ."""
    return file_system_time(path.parent) - path.stat().st_mtime


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
