# SPDX-License-Identifier: BSD-3-Clause
"""One `isochron run` per run folder at a time, on all machines that share the folder.

The lock is the kernel's (flock), which a killed process releases. On some shared file systems flock works within one
host only. Therefore the lock file names its holder, and its modification time is the holder's heartbeat: it is a lease,
which another driver takes over if there was no heartbeat for STALE_S.
The processes that a killed driver left behind are ended before the run continues: a surviving `mpiexec` would disturb
every launch that follows.
"""

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

#: Seconds between two heartbeats, and without one after which the lease of a holder on another machine has expired.
BEAT_S, STALE_S = 15.0, 120.0


def boot_id() -> str:
    """Return the kernel's identifier of this boot: process numbers are unique within a boot only."""
    return _read("/proc/sys/kernel/random/boot_id")


def namespace() -> str:
    """Return the kernel's identifier of the namespace of process numbers."""
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def process_start(pid: int) -> str:
    """Return the start time of a process in ticks since boot; empty if there is none. Process numbers are reused."""
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
    #: Process numbers are unique within a namespace only; each container of a machine has another.
    namespace: str = ""

    @classmethod
    def this_process(cls, folder: Path) -> "Holder":
        """Return this process as a holder."""
        pid = os.getpid()
        return cls(pid, socket.gethostname(), boot_id(), process_start(pid), str(folder), time.time(), namespace())

    @classmethod
    def read(cls, path: Path) -> "Holder | None":
        """Read the holder from the lock file; None if there is none, or none that is readable."""
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
        """CRC-32 of the other fields: with a flipped bit the driver could wait for the heartbeat of another machine."""
        return f"{zlib.crc32(json.dumps(asdict(self)).encode()):08x}"

    @property
    def label(self) -> str:
        """The holder as text for messages."""
        return f"process {self.pid} on {self.host}"

    def lives(self, path: Path) -> bool:
        """Return True if the holder in the file `path` still works on the folder of that file.

        On this machine the process is checked; in a copy of the folder, the file names another folder. On another
        machine, and in another container of this one, the heartbeat decides.
        """
        if self.host == socket.gethostname():
            if self.boot != boot_id():
                return False
            if self.namespace in ("", namespace()):
                return self.folder == str(path.parent) and self.started == process_start(self.pid) != ""
        return file_age(path) < STALE_S


def file_age(path: Path) -> float:
    """Return the seconds since the file was changed, by the clock of the file system, since hosts' clocks differ."""
    return file_system_time(path.parent) - path.stat().st_mtime


#: Environment variable that marks every process of a run.
RUN_VARIABLE = "ISOCHRON_RUN_FOLDER"

#: Seconds after which a driver on another machine sees a new holder in the lock file.
SETTLE_S = 3.0


class Lost(FileError):
    """Another driver has taken over the run, because this one sent no heartbeat for too long."""


class Lock:
    """A held lock: a lease, for which a thread sends heartbeats until it is released."""

    def __init__(self, path: Path, holder: Holder, message: str = "") -> None:
        """`message`: about a lease that was taken over; empty if there was none."""
        self.path, self.message = path, message
        self._holder = holder
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raise Lost if another driver has taken over the lease."""
        holder = Holder.read(self.path)
        if holder is not None and holder != self._holder:
            raise Lost(
                f"{self.path.parent}: {holder.label} has taken over this run, since this process sent no heartbeat"
            )

    def release(self) -> None:
        """Stop the heartbeats, and empty the lock file unless another driver has taken it over."""
        self._over.set()
        self._thread.join()
        if Holder.read(self.path) == self._holder:
            self.path.write_text("", encoding="utf-8")

    def _beat(self) -> None:
        while not self._over.wait(BEAT_S):
            with suppress(OSError):
                if Holder.read(self.path) == self._holder:
                    os.utime(self.path)


@contextmanager
def run_lock(run: RunLayout) -> Iterator[Lock]:
    """Hold the lock of a run. Raises FileError if another process has it."""
    path = run.root / ".lock"
    with path.open("a+", encoding="utf-8") as stream:
        try:
            is_locked_by_kernel = lock(stream, wait=False)
        except BlockingIOError as error:
            raise FileError(_refusal(run, _written_holder(path))) from error
        earlier = Holder.read(path)
        if earlier is not None and earlier.lives(path):
            raise FileError(_refusal(run, earlier))
        message = f"{earlier.label} held this run and has ended ({_silence(path)}); taking it over" if earlier else ""
        holder = Holder.this_process(run.root)
        holder.write(path)
        if not is_locked_by_kernel:
            _settle(run, path, holder)
        held = Lock(path, holder, message)
        try:
            end_survivors(run)
            yield held
        finally:
            held.release()


def _written_holder(path: Path) -> Holder | None:
    """Read the holder of a lock that the kernel says is taken: it writes its name just after it has taken the lock."""
    limit = time.monotonic() + SETTLE_S
    while (holder := Holder.read(path)) is None and time.monotonic() < limit:
        time.sleep(0.01)
    return holder


def _settle(run: RunLayout, path: Path, holder: Holder) -> None:
    """Settle a race without kernel locks: of drivers that start at the same time, the last to write continues."""
    time.sleep(SETTLE_S)
    written = Holder.read(path)
    if written != holder:
        raise FileError(_refusal(run, written))


def _refusal(run: RunLayout, holder: Holder | None) -> str:
    name = holder.label if holder else "another process"
    return f"{run.root}: {name} is running this campaign ({_silence(run.root / '.lock')}); wait for it, or stop it"


def _silence(path: Path) -> str:
    """Return the time since the last heartbeat of a holder, as text."""
    return f"last heartbeat {max(0, round(file_age(path)))} s ago"


def is_locked(run: RunLayout) -> str | None:
    """Return the driver of the run, or None. Works on any machine."""
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
    """End every process on this host that belongs to the run, except this one. Returns their number."""
    return orphans.end(str(run.root), mark=RUN_VARIABLE)
