# SPDX-License-Identifier: BSD-3-Clause
"""kill -9 of one process, of the driver, of all of them, and the power cut that leaves young files unwritten."""

from __future__ import annotations

import signal
import time

from tests.soak import processes
from tests.soak.faults import work
from tests.soak.life import Call, Life

#: Seconds that a run of the tiny campaign may take on a machine with nothing else to do, and a bit.
WHOLE_S = 8.0


def one_process(life: Life) -> None:
    """kill -9 of one process of the campaign, a moment after it has appeared."""
    victim = life.random.choice(list(processes.VICTIMS))
    call = work.start(life)
    pid = processes.wait_for(life.room, victim, lambda: call.ended)
    time.sleep(life.random.uniform(0, 0.5))
    if pid is not None:
        processes.send(pid, signal.SIGKILL)
    life.note(f"kill -9 of {victim}")
    life.end(call)


def driver(life: Life) -> None:
    """kill -9 of the driver alone; what it has started lives on until the next call."""
    call = work.start(life)
    _some_time(life, call)
    call.child.kill()
    call.child.wait()
    life.note("kill -9 of the driver")


def everything(life: Life) -> None:
    """kill -9 of the driver and all that it has started."""
    call = work.start(life)
    _some_time(life, call)
    processes.kill_all(life.room, call.child.pid)
    call.child.wait()
    life.note("kill -9 of everything")


def power_cut(life: Life) -> None:
    """The same, and of the files of the last seconds some are empty or cut off."""
    everything(life)
    life.remember()
    young = time.time() - 3
    for path in sorted(path for path in life.place.folder.rglob("*") if path.is_file() and not path.is_symlink()):
        if path.stat().st_mtime > young and life.random.random() < 0.2:
            content = path.read_bytes()
            path.chmod(0o644)
            path.write_bytes(content[: life.random.choice([0, len(content) // 2])])
            life.note(f"cut off: {path.relative_to(life.place.folder)}")
    life.damaged_on_purpose()


def _some_time(life: Life, call: Call) -> None:
    """Wait for a random moment of the call, or its end."""
    moment = time.monotonic() + life.random.uniform(0, WHOLE_S)
    while time.monotonic() < moment and not call.ended:
        time.sleep(0.02)
