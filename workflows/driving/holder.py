# SPDX-License-Identifier: BSD-3-Clause
"""Who holds the lock of a run, and whether that process still lives, seen from any machine.

flock alone is not enough: on some shared file systems it holds on one host only. So the lock file says
who holds it, and its modification time is the holder's heartbeat.
"""

from __future__ import annotations

import json
import os
import socket
import time
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

from isochron.common.files import file_system_time, read_bytes

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
