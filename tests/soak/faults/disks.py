# SPDX-License-Identifier: BSD-3-Clause
"""A disk that is full, read-only or failing, from the start or all of a sudden."""

from __future__ import annotations

import errno
import os
import subprocess
import time
from pathlib import Path

from tests.soak import processes
from tests.soak.faults import work
from tests.soak.faults.kills import WHOLE_S
from tests.soak.life import Call, Life


def full(life: Life) -> None:
    """No space is left but a few KiB, at some moment of a call and for some seconds."""
    assert life.disk is not None
    ballast = life.disk / "ballast"
    call = _begun(life)
    subprocess.run(["dd", "if=/dev/zero", f"of={ballast}", "bs=64k"], capture_output=True, check=False)
    leave = life.random.choice([0, 4, 64, 256])
    with ballast.open("r+b") as stream:
        stream.truncate(max(0, ballast.stat().st_size - leave * 1024))
    life.note(f"disk full but for {leave} KiB")
    _while(life, call)
    ballast.unlink()
    life.end(call)


def read_only(life: Life) -> None:
    """The disk is read-only for some seconds, as after an error that the kernel has seen."""
    assert life.disk is not None
    call = _begun(life)
    done = _remount(life.disk, "ro")
    while done and not call.ended:  # something is just being written
        time.sleep(0.05)
        done = _remount(life.disk, "ro")
    life.note(f"disk read-only (mount said {done})")
    _while(life, call)
    _remount(life.disk, "rw")
    life.end(call)


def errors(life: Life) -> None:
    """Now and then a call that writes fails, or writes half, in everything that Python writes."""
    number = life.random.choice([errno.EIO, errno.ENOSPC, errno.EDQUOT])
    one_in = life.random.choice([5, 20, 100, 400])
    env = {
        "LD_PRELOAD": str(life.shims["bad_disk"]),
        "DISK_FOLDER": str(life.place.folder),
        "DISK_ERRNO": str(number),
        "DISK_ONE_IN": str(one_in),
        "DISK_SEED": str(life.random.randrange(1 << 20)),
    }
    life.note(f"one call in {one_in} fails with {errno.errorcode[number]}")
    life.end(work.start(life, env))


def _begun(life: Life) -> Call:
    """A call, now or some time ago."""
    call = work.start(life)
    time.sleep(life.random.choice([0.0, life.random.uniform(0, WHOLE_S)]))
    return call


def _while(life: Life, call: Call) -> None:
    """Let the disk stay so for a while, or until the call has ended."""
    until = time.monotonic() + life.random.uniform(0.5, WHOLE_S)
    while time.monotonic() < until and not call.ended:
        time.sleep(0.05)


def _remount(disk: Path, how: str) -> int:
    command = ["mount", "-o", f"remount,{how}", str(disk)]
    return subprocess.run(command, capture_output=True, check=False).returncode


def mount(folder: Path) -> bool:
    """A disk of 96 MiB at `folder`; false where nobody may mount one."""
    folder.mkdir(parents=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", str(folder)]
    return os.geteuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0


def unmount(folder: Path) -> None:
    """Give it back, and all that is on it."""
    processes.kill_all(folder)
    subprocess.run(["umount", "-l", str(folder)], check=True)
