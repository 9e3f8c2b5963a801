# SPDX-License-Identifier: BSD-3-Clause
"""The shared memory by which the launches of a session take turns: its name, and what killed processes leave behind."""

import fcntl
import hashlib
import os
import re
import stat
import struct
from pathlib import Path

#: Where the engine has it on each node, and how its names begin (segment.c).
FOLDER, PREFIX = Path("/dev/shm"), "isochron-turns-"
#: How the names of the files begin in which the processes of a candle meet (rendezvous.c).
CANDLE_PREFIX = "isochron-candle-"


def block_segments(attempts: Path) -> str:
    """Return how the names of a block's segments begin; `attempts`: the folder of its attempts in the run.

    They contain a hash of the run's folder, since a copy of a run has the same name.
    """
    run = attempts.parents[1]
    return f"{_short(run.name)}-{hashlib.sha256(str(run).encode()).hexdigest()[:8]}-{_short(attempts.name)}-"


#: Characters of a part of a name; the engine takes 100 in all (turn_spec.c).
LONGEST_PART = 24


def _short(name: str) -> str:
    """Return a name if it is short and of the characters that the engine takes, else its hash."""
    if len(name) <= LONGEST_PART and re.fullmatch(r"[A-Za-z0-9._-]+", name):
        return name
    return hashlib.sha256(name.encode()).hexdigest()[:16]


def segment_name(attempt: Path, session: str) -> str:
    """Return the engine's `--turns` for a session: no two attempts meet in one segment."""
    return f"{block_segments(attempt.parent)}{attempt.name}-{_short(session)}"


def remove_segments(attempts: Path) -> None:
    """Remove the segments of a block on this machine, none of whose launches runs any more, and dead candles' files."""
    for path in FOLDER.glob(f"{PREFIX}{block_segments(attempts)}*"):
        path.unlink(missing_ok=True)
    for path in FOLDER.glob(f"{CANDLE_PREFIX}*"):
        _remove_unused(path)


def _remove_unused(path: Path) -> None:
    """Remove a file of this user that no process has locked; it is locked meanwhile (base/shared_file.h)."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
            whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)  # struct flock
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, whole)
            path.unlink(missing_ok=True)
    except OSError:
        return  # in use
    finally:
        os.close(descriptor)
